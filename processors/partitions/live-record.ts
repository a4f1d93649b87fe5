import type { NewRecord } from '../../log/log.ts'
import type { LiveMessage } from '../../schema/topics.ts'

/** Message of live.v1 as a record, to be appended. */
export function liveRecord(message: LiveMessage): NewRecord {
  return { key: null, value: Buffer.from(JSON.stringify(message)) }
}
