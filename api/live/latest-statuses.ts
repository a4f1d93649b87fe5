import type { LiveStatus } from '../../schema/topics.ts'
import type { MachineRef } from '../../schema/refs.ts'

/** The latest status of each machine. */
export class LatestStatuses {
  readonly #statuses = new Map<number, LiveStatus>()
  readonly #toldAs = new Map<number, number>()
  #told = 0

  /** Number of published statuses. */
  get told(): number {
    return this.#told
  }

  get(machineRef: MachineRef): LiveStatus | null {
    return this.#statuses.get(machineRef) ?? null
  }

  /**
   * Applies a status. Returns true if its value or its faults differ from the previous ones; a repetition, or a
   * corrected beginning, returns false.
   */
  apply(status: LiveStatus): boolean {
    this.#toldAs.set(status.machineRef, ++this.#told)
    return this.#set(status)
  }

  /**
   * Applies a status that was read from the store when `told` statuses had been published; skips it if one of the
   * machine was published since. true as in `apply`.
   */
  restore(status: LiveStatus, told: number): boolean {
    return (this.#toldAs.get(status.machineRef) ?? 0) <= told && this.#set(status)
  }

  #set(status: LiveStatus): boolean {
    const before = this.#statuses.get(status.machineRef)
    this.#statuses.set(status.machineRef, status)
    // A machine without a status counts as unavailable.
    return (before?.status ?? 'UNAVAILABLE') !== status.status || faultsOf(before) !== faultsOf(status)
  }
}

function faultsOf(status: LiveStatus | undefined): string {
  if (status?.status !== 'FAULT') return ''
  return JSON.stringify(status.faults.map(({ key, type, value, message }) => [key, type, value, message]))
}
