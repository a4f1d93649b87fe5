import type { Sample } from '../../schema/sample.ts'

/** Parts of a sample that senders mostly leave out, as they are then. */
export const unsaid = {
  nativeCode: '',
  nativeSeverity: '',
  qualifier: '',
  message: '',
  instanceId: null,
  sequence: null,
} as const satisfies Partial<Sample>
