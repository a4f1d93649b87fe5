import type { RecordKind } from '../../../schema/records/record-kinds.ts'

/**
 * Data whose changes affect the lists that read it: a kind of record, or one of the following. `values`: the latest
 * value of a key; `samples`: also the time of the latest value; `stored-values`: the set of keys whose samples are
 * stored; `documents`: the documents of a machine; `derived-states`: the current states that are derived from
 * documents; `statuses`: the status of a machine; `alarm-ids`: the assigned alarm ids; `time`: the current time, at
 * which planned job runs start or end.
 */
export type Source =
  | RecordKind
  | 'values'
  | 'samples'
  | 'stored-values'
  | 'documents'
  | 'derived-states'
  | 'statuses'
  | 'alarm-ids'
  | 'time'

/** A source that a list or a column reads. `keys`: it reads only the rows of these keys. */
export interface SourceRead {
  readonly source: Source
  readonly keys?: readonly string[]
}

/** Reads of all rows of each source. */
export function sourceReads(...sources: readonly Source[]): readonly SourceRead[] {
  return sources.map(source => ({ source }))
}
