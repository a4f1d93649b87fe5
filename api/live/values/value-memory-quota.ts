import { Shares } from '../../../shared/shares.ts'
import type { MachineRef } from '../../../schema/refs.ts'

export interface ValueMemoryQuotaOptions {
  /** Maximum bytes of all latest values of this process. */
  readonly bytes: number
  readonly companyOf: (machineRef: MachineRef) => string
  /** Whether there are several companies; a single one may use the whole quota. */
  readonly isShared: () => boolean
}

/** Counts of metrics and values that exceeded the quota, since the start. */
export interface Rejected {
  /** Metrics of machines that were omitted. */
  readonly metrics: number
  /** Values that were truncated. */
  readonly values: number
}

/** Estimated bytes of a machine's metric besides its value. */
const cellBytes = 64
/** Values are counted in steps, so that a small change of length changes nothing. */
const stepBytes = 32

/** Limits the memory of the latest values of all machines, in fair shares by company. */
export class ValueMemoryQuota {
  readonly #shares: Shares
  readonly #companyOf: (machineRef: MachineRef) => string
  #metrics = 0
  #values = 0

  constructor({ bytes, companyOf, isShared }: ValueMemoryQuotaOptions) {
    this.#shares = new Shares({ limit: bytes, isShared })
    this.#companyOf = companyOf
  }

  get bytes(): number {
    return this.#shares.used
  }

  get rejected(): Rejected {
    return { metrics: this.#metrics, values: this.#values }
  }

  /**
   * Reserves memory for a new metric of a machine; false: the quota is used up. `names`: its names if no machine had
   * the metric yet, otherwise empty.
   */
  reserveMetric(machineRef: MachineRef, value: string, names: string): boolean {
    const isReserved = this.#shares.reserve(this.#companyOf(machineRef), cellBytes + bytesOf(value) + 2 * names.length)
    if (!isReserved) this.rejectMetric()
    return isReserved
  }

  /** Counts a metric that exceeded the quota of all machines or of its machine. */
  rejectMetric(): void {
    this.#metrics += 1
  }

  /** Returns the value if the quota permits it in place of the previous one, otherwise its beginning. */
  replace(machineRef: MachineRef, before: string, value: string, cut: (value: string) => string): string {
    const more = bytesOf(value) - bytesOf(before)
    if (more === 0) return value
    const company = this.#companyOf(machineRef)
    if (more < 0) this.#shares.release(company, -more)
    else if (!this.#shares.reserve(company, more)) return this.#replaceByCut(company, before, cut(value), value)
    return value
  }

  /** Counts the truncated value even beyond the quota, because it is small. */
  #replaceByCut(company: string, before: string, cut: string, value: string): string {
    if (cut !== value) this.#values += 1
    const more = bytesOf(cut) - bytesOf(before)
    if (more > 0) this.#shares.count(company, more)
    else if (more < 0) this.#shares.release(company, -more)
    return cut
  }
}

/** Bytes of a value: two for each UTF-16 unit, rounded up to whole steps. */
function bytesOf(value: string): number {
  return stepBytes * Math.ceil((2 * value.length) / stepBytes)
}
