import { cachedCanonicalName } from './canonical-name.ts'

/**
 * Names of the sample that states that a machine's source was heard. It only counts as activity
 * of the machine: it has no value, and is not stored.
 */
export const heartbeatNames = { key: 'connector', type: 'CONNECTION_STATUS' } as const

const canonicalKey = cachedCanonicalName(heartbeatNames.key)

/** Whether a sample with these names, the type canonical, is a heartbeat. */
export function isHeartbeat({ key, type }: { readonly key: string; readonly type: string }): boolean {
  return type === heartbeatNames.type && cachedCanonicalName(key) === canonicalKey
}
