import { Shares } from '../../shared/shares.ts'
import type { MachineRef } from '../../schema/refs.ts'

export interface ValuesRoomOptions {
  /** Bytes that all latest values of this process may take. */
  readonly bytes: number
  /** Id of the company that has a machine. */
  readonly companyOf: (machineRef: MachineRef) => string
  /** Whether there are several companies; where there is one, all of the room is its own. */
  readonly isShared: () => boolean
}

/** Counts of metrics and values that found no room, since the start. */
export interface TurnedDown {
  /** Metrics of machines that are not shown live. */
  readonly metrics: number
  /** Values that were cut. */
  readonly values: number
}

/** Bytes that a metric of a machine takes beside its value, estimated. */
const cellBytes = 64
/** Values are counted in steps, so that one that changes by a digit needs nothing. */
const stepBytes = 32

/** Bounds the memory of the latest values of all machines. Each company has its share. */
export class ValuesRoom {
  readonly #shares: Shares
  readonly #companyOf: (machineRef: MachineRef) => string
  #metrics = 0
  #values = 0

  constructor({ bytes, companyOf, isShared }: ValuesRoomOptions) {
    this.#shares = new Shares({ room: bytes, isShared })
    this.#companyOf = companyOf
  }

  get bytes(): number {
    return this.#shares.taken
  }

  get turnedDown(): TurnedDown {
    return { metrics: this.#metrics, values: this.#values }
  }

  /**
   * Reserves memory for a new metric of a machine; false: the quota is used up. `names`: its names if no machine had
   * the metric yet, otherwise empty.
   */
  takeMetric(machineRef: MachineRef, value: string, names: string): boolean {
    const isTaken = this.#shares.take(this.#companyOf(machineRef), cellBytes + bytesOf(value) + 2 * names.length)
    if (!isTaken) this.turnDownMetric()
    return isTaken
  }

  /** Counts a metric that finds no room, here or among those of its machine. */
  turnDownMetric(): void {
    this.#metrics += 1
  }

  /** Returns the value that there is room for in place of the one before: the value itself, or its beginning. */
  replace(machineRef: MachineRef, before: string, value: string, cut: (value: string) => string): string {
    const more = bytesOf(value) - bytesOf(before)
    if (more === 0) return value
    const company = this.#companyOf(machineRef)
    if (more < 0) this.#shares.give(company, -more)
    else if (!this.#shares.take(company, more)) return this.#replaceByCut(company, before, cut(value), value)
    return value
  }

  /** Counts the cut value, whether there is room for it or not: it is small. */
  #replaceByCut(company: string, before: string, cut: string, value: string): string {
    if (cut !== value) this.#values += 1
    const more = bytesOf(cut) - bytesOf(before)
    if (more > 0) this.#shares.add(company, more)
    else if (more < 0) this.#shares.give(company, -more)
    return cut
  }
}

/** Bytes of a value: two for each UTF-16 unit, rounded up to whole steps. */
function bytesOf(value: string): number {
  return stepBytes * Math.ceil((2 * value.length) / stepBytes)
}
