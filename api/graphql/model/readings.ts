import type { RecordKind } from '../../../schema/records/record-kinds.ts'

/**
 * Something that changes, and with it the lists that read it: records of a kind, and beside them
 * `values`: the latest value of a key; `samples`: the time of the latest value too; `stored-values`: samples have come into the
 * store; `documents`: the documents of a machine; `made-states`: the current states that are made of these; `statuses`: the status of a machine; `alarm-ids`: alarms were given ids;
 * `time`: an instant has come at which a run begins or ends.
 */
export type Source =
  RecordKind | 'values' | 'samples' | 'stored-values' | 'documents' | 'made-states' | 'statuses' | 'alarm-ids' | 'time'

/** A source that a list or a column reads. `keys`: only rows of these keys of machines come from it. */
export interface Reading {
  readonly source: Source
  readonly keys?: readonly string[]
}

/** Readings of whole sources. */
export function readings(...sources: readonly Source[]): readonly Reading[] {
  return sources.map(source => ({ source }))
}
