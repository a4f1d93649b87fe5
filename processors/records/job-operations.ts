import type { OperationTraits } from '../../schema/commands/stored-records.ts'
import { type JobNames, namesKey } from '../../schema/records/job-names.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { Steps } from '../../shared/async/steps.ts'

/** One company's job operations in memory, indexed by id, ref and names. */
export class JobOperations implements OperationTraits {
  readonly #byId = new Map<string, JobOperationRecord>()
  readonly #byRef = new Map<number, JobOperationRecord>()
  readonly #byNames = new Map<string, JobOperationRecord>()
  #hasMultipliers = false
  #hasThresholds = false

  get(id: string): JobOperationRecord | null {
    return this.#byId.get(id) ?? null
  }

  byRef(ref: number): JobOperationRecord | null {
    return this.#byRef.get(ref) ?? null
  }

  byNames(names: JobNames): JobOperationRecord | null {
    return this.#byNames.get(namesKey(names)) ?? null
  }

  /** Returns all operations in the order of their creation. */
  all(): IterableIterator<JobOperationRecord> {
    return this.#byId.values()
  }

  get hasMultipliers(): boolean {
    return this.#hasMultipliers
  }

  get hasThresholds(): boolean {
    return this.#hasThresholds
  }

  /** Adds what operations that are not in memory have. */
  addTraits({ hasMultipliers, hasThresholds }: OperationTraits): void {
    this.#hasMultipliers ||= hasMultipliers
    this.#hasThresholds ||= hasThresholds
  }

  put(id: string, operation: JobOperationRecord): void {
    this.#forget(this.#byId.get(id))
    this.#byId.set(id, operation)
    this.#byRef.set(operation.ref, operation)
    this.#byNames.set(namesKey(operation), operation)
    this.addTraits(traitsOf(operation))
  }

  delete(id: string): void {
    this.#forget(this.#byId.get(id))
    this.#byId.delete(id)
  }

  /** Returns a copy in cooperative steps. */
  *copyInSteps(): Steps<JobOperations> {
    const copy = new JobOperations()
    copy.addTraits(this)
    for (const [id, operation] of this.#byId) {
      copy.put(id, operation)
      yield
    }
    return copy
  }

  #forget(operation: JobOperationRecord | undefined): void {
    if (!operation) return
    this.#byRef.delete(operation.ref)
    this.#byNames.delete(namesKey(operation))
  }
}

function traitsOf(operation: JobOperationRecord): OperationTraits {
  return {
    hasMultipliers: multiplies(operation) || operation.workCenters.some(multiplies),
    hasThresholds: Object.keys(operation.thresholds).length > 0,
  }
}

function multiplies({ partCountMultiplier }: Pick<JobOperationRecord, 'partCountMultiplier'>): boolean {
  return (partCountMultiplier ?? 1) !== 1
}
