import type { OperationTraits } from '../../schema/commands/stored-records.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { Steps } from '../../shared/async/steps.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { JobOperations } from './job-operations.ts'
import type { RecordTable } from './table.ts'

const none = new JobOperations()

/**
 * The job operations of every company that are in memory: those that changed last. An import may change very many at
 * once: `withChanges` computes a modified copy in steps, which then replaces the company's operations.
 */
export class JobOperationTable implements RecordTable<JobOperationRecord> {
  readonly #companies = new Map<string, JobOperations>()
  /** By their last change. */
  readonly #ordered = new Set<JobOperationRecord>()

  get size(): number {
    return this.#ordered.size
  }

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
    const operations = this.#ofCompany(companyId)
    this.#reorder(operations.get(id), operation)
    operations.put(id, operation)
  }

  delete(companyId: string, id: string): void {
    const operations = this.#companies.get(companyId)
    if (!operations) return
    this.#reorder(operations.get(id), null)
    operations.delete(id)
  }

  /** Removes the operations whose last change is the earliest, until `size` are left. */
  *removeOldest(size: number): Steps<void> {
    for (const { companyId, id } of this.#ordered) {
      if (this.size <= size) return
      this.delete(companyId, id)
      yield
    }
  }

  /** Adds what operations that are not in memory have. */
  addTraits(companyId: string, traits: OperationTraits): void {
    this.#ofCompany(companyId).addTraits(traits)
  }

  /** Returns a copy of one company's operations with the changes applied, which must replace them before other changes. */
  *withChanges(companyId: string, changes: readonly Change[]): Steps<JobOperations> {
    const operations = yield* this.of(companyId).copyInSteps()
    for (const { kind, id, after } of changes) {
      if (kind !== 'jobOperation')
        throw new Error(`Invariant: expected a change of a job operation, got a change of kind ${kind}`)
      this.#reorder(operations.get(id), after)
      if (after) operations.put(id, after)
      else operations.delete(id)
      yield
    }
    return operations
  }

  replace(companyId: string, operations: JobOperations): void {
    this.#companies.set(companyId, operations)
  }

  #ofCompany(companyId: string): JobOperations {
    return getOrCreate(this.#companies, companyId, () => new JobOperations())
  }

  #reorder(before: JobOperationRecord | null, after: JobOperationRecord | null): void {
    if (before) this.#ordered.delete(before)
    if (after) this.#ordered.add(after)
  }
}
