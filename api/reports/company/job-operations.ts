import { readOperationsByRefs } from '../../../clickhouse/projections/job-operations.ts'
import { readRecordsById } from '../../../clickhouse/projections/timed-records.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import type { QueryContext } from '../query/query.ts'
import type { CompanyView } from './company-view.ts'

/** Finds the job operations with these ids, in memory or else in the store, in no order. Rejects with a `StoreError`. */
export async function findOperations(
  view: CompanyView,
  ids: readonly string[],
  { store, options }: QueryContext,
): Promise<readonly JobOperationRecord[]> {
  const recent = ids.flatMap(id => view.recentOperation(id) ?? [])
  const missing = ids.filter(id => !view.recentOperation(id))
  if (missing.length === 0) return recent
  return [...recent, ...(await readRecordsById(store, 'jobOperation', view.company.id, missing, options))]
}

/** Finds the job operations with these refs, by ref, in memory or else in the store. Rejects with a `StoreError`. */
export async function findOperationsByRef(
  view: CompanyView,
  refs: Iterable<number>,
  { store, options }: QueryContext,
): Promise<ReadonlyMap<number, JobOperationRecord>> {
  const found = new Map<number, JobOperationRecord>()
  const missing: number[] = []
  for (const ref of new Set(refs)) {
    const recent = view.recentOperationByRef(ref)
    if (recent) found.set(ref, recent)
    else if (ref !== 0) missing.push(ref)
  }
  if (missing.length === 0) return found
  const stored = await readOperationsByRefs(store, view.company.id, missing, options)
  for (const operation of stored) found.set(operation.ref, operation)
  return found
}
