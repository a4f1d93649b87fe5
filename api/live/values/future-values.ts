import type { MachineRef } from '../../../schema/refs.ts'
import { metricName } from '../../../schema/sample.ts'
import { Shares } from '../../../shared/shares.ts'
import type { LiveValue, PublishedValue } from './latest-values.ts'
import type { ValueMemoryQuotaOptions } from './value-memory-quota.ts'

/** Maximum number of waiting values of one metric. */
const maxOfMetric = 16
/** Estimated bytes of a waiting value besides its texts. */
const valueBytes = 256

/** A value whose time is yet to come. */
interface Waiting extends PublishedValue {
  /** The company whose share it uses. */
  readonly company: string
}

/**
 * Future-dated values, until their time has come. Senders choose times and names: of a metric with too many values,
 * those close to others are dropped; each company has its share of the memory.
 */
export class FutureValues {
  readonly #shares: Shares
  readonly #companyOf: (machineRef: MachineRef) => string
  /** By machine and names: in the order of time. */
  readonly #byMetric = new Map<string, Waiting[]>()
  /** Earliest time of all values. */
  #firstUs = Infinity
  #rejected = 0

  constructor({ bytes, companyOf, isShared }: ValueMemoryQuotaOptions) {
    this.#shares = new Shares({ limit: bytes, isShared })
    this.#companyOf = companyOf
  }

  /** Approximate memory of the values. */
  get bytes(): number {
    return this.#shares.used
  }

  /** Number of values that exceeded the quota, since the start. */
  get rejected(): number {
    return this.#rejected
  }

  /** One value of each metric that has some. */
  *metrics(): Iterable<LiveValue> {
    for (const [first] of this.#byMetric.values()) if (first) yield first
  }

  /** Adds a published value. Of two values at one instant the last published one is kept. */
  add(value: PublishedValue): void {
    this.#insert(value, true)
  }

  /** Adds a value that may have been read before the others were published. */
  restore(value: PublishedValue): void {
    this.#insert(value, false)
  }

  /** Removes and returns the values up to an instant, in the order of time. */
  due(untilUs: number): readonly PublishedValue[] {
    if (this.#firstUs > untilUs) return []
    const due: PublishedValue[] = []
    this.#firstUs = Infinity
    for (const [name, values] of this.#byMetric) {
      const later = values.findIndex(({ atUs }) => atUs > untilUs)
      for (const value of values.splice(0, later < 0 ? values.length : later)) {
        this.#release(value)
        due.push(value)
      }
      const [first] = values
      if (first === undefined) this.#byMetric.delete(name)
      else this.#firstUs = Math.min(this.#firstUs, first.atUs)
    }
    return due.sort((a, b) => a.atUs - b.atUs)
  }

  #insert(published: PublishedValue, isPublished: boolean): void {
    const { machineRef, atUs, key, type, subtype, value: text, category } = published
    // Only the parts of a sample that are sent.
    const company = this.#companyOf(machineRef)
    const value = { machineRef, atUs, key, type, subtype, value: text, company, ...(category && { category }) }
    const name = metricName(value)
    const values = this.#byMetric.get(name) ?? []
    const index = values.findLastIndex(each => each.atUs <= atUs)
    const before = values[index]
    const isReplaced = before?.atUs === atUs
    if (isReplaced && !isPublished) return
    if (!this.#shares.reserve(value.company, bytesOf(value))) {
      this.#rejected++
      return
    }
    if (isReplaced) this.#release(before)
    values.splice(isReplaced ? index : index + 1, isReplaced ? 1 : 0, value)
    if (values.length > maxOfMetric) this.#leaveClosest(values)
    this.#byMetric.set(name, values)
    this.#firstUs = Math.min(this.#firstUs, atUs)
  }

  /** Drops the value whose neighbours are closest to each other; the first and the last one stay. */
  #leaveClosest(values: Waiting[]): void {
    let closest = 1
    let minUs = Infinity
    for (let index = 1; index < values.length - 1; index++) {
      const apartUs = (values[index + 1]?.atUs ?? Infinity) - (values[index - 1]?.atUs ?? 0)
      if (apartUs >= minUs) continue
      minUs = apartUs
      closest = index
    }
    for (const value of values.splice(closest, 1)) this.#release(value)
  }

  #release(value: Waiting): void {
    this.#shares.release(value.company, bytesOf(value))
  }
}

function bytesOf({ key, type, subtype, value }: LiveValue): number {
  return valueBytes + 2 * (key.length + type.length + subtype.length + value.length)
}
