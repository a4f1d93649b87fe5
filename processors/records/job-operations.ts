import { type JobNames, namesKey } from '../../schema/records/job-names.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { Steps } from '../../shared/async/steps.ts'

/** One company's job operations, indexed by id, ref and names. */
export class JobOperations {
  readonly #byId = new Map<string, JobOperationRecord>()
  readonly #byRef = new Map<number, JobOperationRecord>()
  readonly #byNames = new Map<string, JobOperationRecord>()
  #multiplying = 0
  #withThresholds = 0

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

  /** Whether any operation has a part count multiplier other than 1. */
  get hasMultipliers(): boolean {
    return this.#multiplying > 0
  }

  /** Whether any operation has thresholds. */
  get hasThresholds(): boolean {
    return this.#withThresholds > 0
  }

  put(id: string, operation: JobOperationRecord): void {
    this.#forget(this.#byId.get(id))
    this.#byId.set(id, operation)
    this.#byRef.set(operation.ref, operation)
    this.#byNames.set(namesKey(operation), operation)
    this.#count(operation, 1)
  }

  delete(id: string): void {
    this.#forget(this.#byId.get(id))
    this.#byId.delete(id)
  }

  /** Returns a copy in cooperative steps. */
  *copyInSteps(): Steps<JobOperations> {
    const copy = new JobOperations()
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
    this.#count(operation, -1)
  }

  #count(operation: JobOperationRecord, sign: 1 | -1): void {
    if (multiplies(operation) || operation.workCenters.some(multiplies)) this.#multiplying += sign
    if (Object.keys(operation.thresholds).length > 0) this.#withThresholds += sign
  }
}

function multiplies({ partCountMultiplier }: Pick<JobOperationRecord, 'partCountMultiplier'>): boolean {
  return (partCountMultiplier ?? 1) !== 1
}
