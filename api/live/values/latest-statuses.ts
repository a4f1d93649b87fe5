import type { LiveStatus } from '../../../schema/topics.ts'
import type { MachineRef } from '../../../schema/refs.ts'

/** The latest status of each machine. */
export class LatestStatuses {
  readonly #statuses = new Map<number, LiveStatus>()
  readonly #publishedAs = new Map<number, number>()
  #published = 0

  get published(): number {
    return this.#published
  }

  get(machineRef: MachineRef): LiveStatus | null {
    return this.#statuses.get(machineRef) ?? null
  }

  /**
   * Applies a status. Returns true if its value or its faults differ from the previous ones; a repetition, or a
   * corrected beginning, returns false.
   */
  apply(status: LiveStatus): boolean {
    this.#publishedAs.set(status.machineRef, ++this.#published)
    return this.#set(status)
  }

  /**
   * Applies a status that was read from the store when `published` statuses had been published; skips it if one of the
   * machine was published since. true as in `apply`.
   */
  restore(status: LiveStatus, published: number): boolean {
    return (this.#publishedAs.get(status.machineRef) ?? 0) <= published && this.#set(status)
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
