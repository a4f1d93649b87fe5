import { readOperationNames } from '../../../clickhouse/projections/job-operations.ts'
import { readRecordsById } from '../../../clickhouse/projections/records-by-id.ts'
import type { NamedOperation } from '../../../schema/records/job-names.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
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

/** Finds the job operations with these refs, each given once, by ref, in memory or else in the store. Rejects with a `StoreError`. */
export async function findOperationsByRef(
  view: CompanyView,
  refs: Iterable<number>,
  { store, options }: QueryContext,
): Promise<ReadonlyMap<number, NamedOperation>> {
  const found = new Map<number, NamedOperation>()
  const missing: number[] = []
  const slice = new TimeSlice()
  for (const ref of refs) {
    const recent = view.recentOperationByRef(ref)
    if (recent) found.set(ref, recent)
    else missing.push(ref)
    if (slice.isOver) await slice.next()
  }
  if (missing.length === 0) return found
  const stored = await readOperationNames(store, view.company.id, missing, options)
  for (const operation of stored) found.set(operation.ref, operation)
  return found
}
