import type { RecordKind } from '../../../schema/records/record-kinds.ts'

/**
 * A source of data whose changes affect the lists that read it: a kind of record, or one of the following. `values`:
 * the latest value of a key; `samples`: also the time of the latest value; `stored-values`: samples were stored;
 * `documents`: the documents of a machine; `derived-states`: the current states derived from them; `statuses`: the status
 * of a machine; `alarm-ids`: alarm ids were assigned; `time`: the instant at which a run begins or ends has come.
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

/** A source that a list or a column reads. `keys`: only rows of these keys of machines. */
export interface Reading {
  readonly source: Source
  readonly keys?: readonly string[]
}

/** Readings of complete sources. */
export function readings(...sources: readonly Source[]): readonly Reading[] {
  return sources.map(source => ({ source }))
}
