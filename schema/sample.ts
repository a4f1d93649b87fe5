import type { MachineRef } from './refs.ts'

/** MTConnect data item categories. */
export type Category = 'SAMPLE' | 'EVENT' | 'CONDITION'

/**
 * One observation, parsed and normalised at the edge: what every stage after decoding works on.
 * Texts that a sender left out are '' here; `type`, `subtype`, `category` and condition levels are already canonical
 * (upper case, words joined by `_`), `key` is as sent (compare it with `canonicalName`).
 */
export interface Sample {
  /** `MachineRecord.ref` of the machine, unique in the installation. */
  readonly machineRef: MachineRef
  /** Machine time in microseconds since 1970 (a safe integer until the year 2255). The millisecond is `Math.floor(atUs / 1000)`. */
  readonly atUs: number
  readonly key: string
  readonly type: string
  readonly subtype: string
  readonly category: Category
  /** Text as sent; a JSON number is written as JavaScript writes it. `UNAVAILABLE` is upper case whatever was sent. */
  readonly value: string
  readonly nativeCode: string
  readonly nativeSeverity: string
  readonly qualifier: string
  readonly message: string
  /** The sender's run and running number, both or neither. */
  readonly instanceId: number | null
  readonly sequence: number | null
}

/** Parts of a sample that senders mostly leave out, as they are then. */
export const unsaid = {
  nativeCode: '',
  nativeSeverity: '',
  qualifier: '',
  message: '',
  instanceId: null,
  sequence: null,
} as const satisfies Partial<Sample>

/** Text that stands for one metric of one machine, for maps; two metrics never have the same. */
export function metricName({
  machineRef,
  key,
  type,
  subtype,
}: Pick<Sample, 'machineRef' | 'key' | 'type' | 'subtype'>): string {
  return JSON.stringify([machineRef, key, type, subtype])
}

/** First and last sample of one machine within one UTC minute; merged by min and max. Gaps of 60 s and more are exact. */
export interface SeenMinute {
  readonly machineRef: MachineRef
  readonly firstMs: number
  readonly lastMs: number
}

/** Types and keys are matched without regard to case, `_` and spaces: `PartCount` = `PART_COUNT` = `part count` → `PARTCOUNT`. */
export function canonicalName(text: string): string {
  return text.replace(/[_\s]/g, '').toUpperCase()
}
