import type { Change } from '../../schema/records/record-kinds.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { Steps } from '../../shared/async/steps.ts'
import { JobOperations } from './job-operations.ts'
import type { RecordTable } from './table.ts'

const none = new JobOperations()

/**
 * The job operations of every company. An import may change very many at once: `changed` computes a modified copy in
 * steps, which then replaces the company's operations.
 */
export class JobOperationTable implements RecordTable<JobOperationRecord> {
  readonly #companies = new Map<string, JobOperations>()

  /** Returns the operations of one company; valid until the next change. */
  of(companyId: string): JobOperations {
    return this.#companies.get(companyId) ?? none
  }

  get(companyId: string, id: string): JobOperationRecord | null {
    return this.of(companyId).get(id)
  }

  list(companyId: string): readonly JobOperationRecord[] {
    return [...this.of(companyId).all()]
  }

  *all(): Generator<JobOperationRecord, void> {
    for (const operations of this.#companies.values()) yield* operations.all()
  }

  put(companyId: string, id: string, operation: JobOperationRecord): void {
    let operations = this.#companies.get(companyId)
    if (!operations) this.#companies.set(companyId, (operations = new JobOperations()))
    operations.put(id, operation)
  }

  delete(companyId: string, id: string): void {
    this.#companies.get(companyId)?.delete(id)
  }

  /** Returns a copy of one company's operations with the changes applied. */
  *withChanges(companyId: string, changes: readonly Change[]): Steps<JobOperations> {
    const operations = yield* this.of(companyId).copyInSteps()
    for (const { kind, id, after } of changes) {
      if (kind !== 'jobOperation')
        throw new Error(`Invariant: expected a change of a job operation, got a change of kind ${kind}`)
      if (after) operations.put(id, after)
      else operations.delete(id)
      yield
    }
    return operations
  }

  replace(companyId: string, operations: JobOperations): void {
    this.#companies.set(companyId, operations)
  }
}
