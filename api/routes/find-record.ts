import { readRecord } from '../../clickhouse/projections/records-by-id.ts'
import type { QueryOptions } from '../../clickhouse/client/store.ts'
import { canonicalId } from '../../processors/records/record-ids.ts'
import type { RecordKinds } from '../../schema/records/record-kinds.ts'
import type { RecordsPort, StorePort } from '../ports/ports.ts'

/** Kinds whose number grows with time, so that the store may contain records that are not in memory. */
const historyKinds = ['annotation', 'incident', 'jobOperation', 'jobRun', 'operatorRun', 'partAdjustment'] as const
type HistoryKind = (typeof historyKinds)[number]

export function isHistoryKind(kind: string): kind is HistoryKind {
  return historyKinds.some(each => each === kind)
}

/**
 * Finds a record of a company by its id: in memory, otherwise in the store. null if there is none. Rejects with a
 * `StoreError`.
 */
export async function findRecord<K extends HistoryKind>(
  { records, store }: RecordsPort & StorePort,
  companyId: string,
  kind: K,
  id: string,
  options: QueryOptions,
): Promise<RecordKinds[K] | null> {
  // Ids of runs are assigned by the ERP and match in their letter case.
  const storedId = kind === 'jobRun' ? id : canonicalId(id)
  return records.get(kind, companyId, id) ?? readRecord(store, kind, companyId, storedId, options)
}
