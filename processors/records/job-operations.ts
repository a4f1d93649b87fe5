import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { Steps } from '../../shared/async/steps.ts'

/** The names that a job operation is found by. */
export type JobNames = Pick<JobOperationRecord, 'jobName' | 'lotName' | 'operationName' | 'partName'>

/** One company's job operations, with what they are found by. */
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

  /** In the order in which they were first put. */
  all(): IterableIterator<JobOperationRecord> {
    return this.#byId.values()
  }

  /** Whether any makes more or less than one part of each that a machine counts. */
  get anyMultiplies(): boolean {
    return this.#multiplying > 0
  }

  /** Whether any has thresholds of its own. */
  get anyHasThresholds(): boolean {
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

  /** Returns another one with the same operations, to be changed aside. */
  *copied(): Steps<JobOperations> {
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

/** A text that no other names have: the lengths tell where each name ends. */
export function namesKey({ jobName, lotName, operationName, partName }: JobNames): string {
  return `${jobName.length} ${lotName.length} ${operationName.length} ${jobName}${lotName}${operationName}${partName}`
}
