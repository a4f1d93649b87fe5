import type { Change } from '../../schema/records/record-kinds.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { Steps } from '../../shared/async/steps.ts'
import { JobOperations } from './job-operations.ts'
import type { RecordTable } from './table.ts'

const none = new JobOperations()

/** The job operations of every company. An import may change very many at once: they can be changed aside, in steps. */
export class JobOperationTable implements RecordTable<JobOperationRecord> {
  readonly #companies = new Map<string, JobOperations>()

  /** One company's; valid until the next change. */
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

  /** Returns one company's operations as they are after the changes; those here stay as they are. */
  *changed(companyId: string, changes: readonly Change[]): Steps<JobOperations> {
    const operations = yield* this.of(companyId).copied()
    for (const { kind, id, after } of changes) {
      if (kind !== 'jobOperation') throw new Error(`invariant: not a change of a job operation, but of a ${kind}`)
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
