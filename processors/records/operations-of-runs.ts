import type { RecordEntry } from '../../schema/commands/command-log.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import type { Records } from './records.ts'
import type { StoredRuns } from './stored-runs.ts'

/** Finds job operations of a company; null: the operation was deleted. */
export interface FoundOperations {
  byId(companyId: string, id: string): JobOperationRecord | null
  byRef(companyId: string, ref: number): JobOperationRecord | null
}

/** Ids and refs of job operations. */
export interface WantedOperations {
  readonly ids: Set<string>
  readonly refs: Set<number>
}

/**
 * Finds job operations in memory, otherwise in the entries that the store may lack, otherwise in the store. Rejects with
 * a `StoreError`.
 */
export async function findOperations(
  wanted: ReadonlyMap<string, WantedOperations>,
  entries: readonly RecordEntry[],
  records: Records,
  stored: Pick<StoredRuns, 'readOperations'>,
): Promise<FoundOperations> {
  const isComplete = records.hasAllOperations
  const changed = await runCooperatively(changedOperations(isComplete ? [] : entries))
  const found = new Map<string, JobOperationRecord | null>()
  const add = (operation: JobOperationRecord): void => {
    const { companyId, id, ref } = operation
    const current = changed.get(keyOf(companyId, id))
    // A changed operation may have left memory, and the store may have its previous state.
    const known = current === undefined ? operation : current
    found.set(keyOf(companyId, id), known)
    found.set(keyOf(companyId, ref), known)
  }
  for (const operation of changed.values()) if (operation) add(operation)
  for (const [companyId, { ids, refs }] of isComplete ? [] : wanted) {
    const isMissing = (key: string | number) => !found.has(keyOf(companyId, key))
    const recent = records.jobOperations(companyId)
    const missing = {
      ids: [...ids].filter(id => !recent.get(id) && isMissing(id)),
      refs: [...refs].filter(ref => !recent.byRef(ref) && isMissing(ref)),
    }
    if (missing.ids.length + missing.refs.length === 0) continue
    for (const operation of await stored.readOperations(companyId, missing)) add(operation)
  }
  return {
    byId: (companyId, id) => records.jobOperations(companyId).get(id) ?? found.get(keyOf(companyId, id)) ?? null,
    byRef: (companyId, ref) => records.jobOperations(companyId).byRef(ref) ?? found.get(keyOf(companyId, ref)) ?? null,
  }
}

/** Returns the last state of the job operations that entries change, by company and id; null: deleted. */
function* changedOperations(entries: readonly RecordEntry[]): Steps<ReadonlyMap<string, JobOperationRecord | null>> {
  const changed = new Map<string, JobOperationRecord | null>()
  for (const { changes } of entries)
    for (const { kind, before, after } of changes) {
      if (kind === 'jobOperation') {
        const operation = after ?? before
        if (operation) changed.set(keyOf(operation.companyId, operation.id), after)
      }
      yield
    }
  return changed
}

/** Refs are numbers and ids are texts, which may consist of digits. */
function keyOf(companyId: string, key: string | number): string {
  return `${companyId} ${JSON.stringify(key)}`
}
