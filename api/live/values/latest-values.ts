import type { Sample } from '../../../schema/sample.ts'
import { MachineValues } from './machine-values.ts'
import { Metrics, type LiveMetric } from './metrics.ts'
import type { ValueMemoryQuota } from './value-memory-quota.ts'
import type { MachineRef } from '../../../schema/refs.ts'

/** The parts of a sample that are cached and sent. */
export type LiveValue = Pick<Sample, 'machineRef' | 'atUs' | 'key' | 'type' | 'subtype' | 'value'>

/** A value with its category; without one, its metric counts as no condition. */
export type PublishedValue = LiveValue & Partial<Pick<Sample, 'category'>>

/** A value that differs from the previous one. */
export interface ValueChange {
  readonly machineRef: MachineRef
  readonly metric: LiveMetric
  /** Unique to the pair of machine and metric. */
  readonly cell: number
  readonly atUs: number
  readonly value: string
}

/**
 * Maximum number of metrics of one machine. Senders choose names and values: a machine with ever new names or long
 * values must not fill the memory.
 */
const maxMetrics = 6_000
/** UTF-16 units of one machine's names and values. Beyond that, new metrics are left out and long values are cut. */
const maxChars = 4_000_000
const cutLength = 200

/**
 * The latest value of every metric of every machine. If the memory quota (`ValueMemoryQuota`) is used up, new metrics are
 * omitted and long values are truncated.
 */
export class LatestValues {
  readonly metrics = new Metrics()
  readonly #quota: ValueMemoryQuota | null
  readonly #machines = new Map<number, MachineValues>()
  /** Machines of which a metric was omitted or a value truncated. */
  readonly #incomplete = new Set<MachineRef>()
  /** Cells of conditions. */
  readonly #conditions = new Set<number>()
  #cells = 0

  /** `quota`: null without a quota for all machines together. */
  constructor(quota: ValueMemoryQuota | null = null) {
    this.#quota = quota
  }

  /**
   * Applies a value that is not older than the cached one. Returns the change; null: unchanged. Of two values at one
   * instant the last published one counts.
   */
  apply(value: PublishedValue): ValueChange | null {
    return this.#apply(value, knownUs => value.atUs >= knownUs)
  }

  /** Applies a value that may be older than the known one: only if it is newer. */
  restore(value: PublishedValue): ValueChange | null {
    return this.#apply(value, knownUs => value.atUs > knownUs)
  }

  #apply(sample: PublishedValue, isNewer: (knownUs: number) => boolean): ValueChange | null {
    const { machineRef, atUs } = sample
    const values = this.#of(machineRef)
    values.seen(atUs)
    const fitting = this.#fitting(values, sample.value)
    const known = this.metrics.find(sample)
    const index = known ? values.find(known.id) : -1
    if (!known || index < 0) {
      const added = this.#add(values, known ?? null, { ...sample, value: fitting })
      if (added?.value !== sample.value) this.#incomplete.add(machineRef)
      return added
    }
    if (!isNewer(values.atUsAt(index))) return null
    const before = values.valueAt(index)
    const value = before === fitting ? before : (this.#quota?.replace(machineRef, before, fitting, cut) ?? fitting)
    const metric = known
    if (value !== sample.value) this.#incomplete.add(machineRef)
    const isChange = before !== value
    values.set(index, atUs, isChange ? value : before)
    return isChange ? { machineRef, metric, cell: values.cellAt(index), atUs, value } : null
  }

  /** The latest value of a metric; null: none. */
  valueOf({ machineRef, ...names }: Omit<LiveValue, 'atUs' | 'value'>): LiveValue | null {
    const values = this.#machines.get(machineRef)
    const metric = this.metrics.find(names)
    const index = values && metric ? values.find(metric.id) : -1
    if (!values || !metric || index < 0) return null
    const { key, type, subtype } = metric
    return { machineRef, key, type, subtype, atUs: values.atUsAt(index), value: values.valueAt(index) }
  }

  /**
   * The `cell` of a sample that is the latest cached one of its metric; null: another one is, or it exceeded the quota.
   */
  cellOf(sample: LiveValue): number | null {
    const values = this.#machines.get(sample.machineRef)
    const known = this.metrics.find(sample)
    const index = values && known ? values.find(known.id) : -1
    return values && index >= 0 && values.atUsAt(index) === sample.atUs ? values.cellAt(index) : null
  }

  /** Whether every published value of a machine is cached unchanged. */
  isWhole(machineRef: MachineRef): boolean {
    return !this.#incomplete.has(machineRef)
  }

  /** Time of the newest sample of a machine, UTC µs; null: there was none. */
  newestUsOf(machineRef: MachineRef): number | null {
    return this.#machines.get(machineRef)?.newestUs ?? null
  }

  /** Number of metrics of a machine, which are never removed. */
  countOf(machineRef: MachineRef): number {
    return this.#machines.get(machineRef)?.length ?? 0
  }

  /** Greater than the cell of every metric of a machine; ascending. */
  get nextCell(): number {
    return this.#cells
  }

  /** Visits the metrics of a machine with this cell or a greater one: those added since `nextCell` had this value. */
  eachAdded(machineRef: MachineRef, cell: number, visit: (metric: LiveMetric, isCondition: boolean) => void): void {
    const values = this.#machines.get(machineRef)
    if (values === undefined) return
    for (let index = 0; index < values.length; index++)
      if (values.cellAt(index) >= cell)
        visit(this.metrics.byId(values.metricAt(index)), this.#conditions.has(values.cellAt(index)))
  }

  /** Every metric of a machine with its latest value. */
  each(machineRef: MachineRef, visit: (current: ValueChange) => void): void {
    this.eachFrom(machineRef, 0, current => {
      visit(current)
      return true
    })
  }

  /**
   * Visits the metrics of a machine with their latest values by ascending id, from `metricId` on, until `visit` returns
   * false.
   */
  eachFrom(machineRef: MachineRef, metricId: number, visit: (current: ValueChange) => boolean): void {
    const values = this.#machines.get(machineRef)
    if (values === undefined) return
    const first = values.find(metricId)
    for (let index = first < 0 ? -1 - first : first; index < values.length; index++) {
      const current = {
        machineRef,
        metric: this.metrics.byId(values.metricAt(index)),
        cell: values.cellAt(index),
        atUs: values.atUsAt(index),
        value: values.valueAt(index),
      }
      if (!visit(current)) return
    }
  }

  #of(machineRef: MachineRef): MachineValues {
    let values = this.#machines.get(machineRef)
    if (values === undefined) this.#machines.set(machineRef, (values = new MachineValues()))
    return values
  }

  #fitting(values: MachineValues, value: string): string {
    return values.chars + value.length > maxChars ? cut(value) : value
  }

  /** `known`: the metric; null: no machine has it yet. */
  #add(values: MachineValues, known: LiveMetric | null, sample: PublishedValue): ValueChange | null {
    const { machineRef, atUs, value } = sample
    if (!hasRoom(values, sample)) {
      this.#quota?.rejectMetric()
      return null
    }
    const names = known ? '' : sample.key + sample.type + sample.subtype
    if (this.#quota?.reserveMetric(machineRef, value, names) === false) return null
    const metric = known ?? this.metrics.of(sample)
    const cell = this.#cells++
    if (sample.category === 'CONDITION') this.#conditions.add(cell)
    values.insert(-1 - values.find(metric.id), { metric: metric.id, cell, atUs, value })
    return { machineRef, metric, cell, atUs, value }
  }
}

function cut(value: string): string {
  // Copied, because a substring keeps the whole string in memory.
  return value.length > cutLength ? Buffer.from(value.slice(0, cutLength)).toString() : value
}

function hasRoom(values: MachineValues, { key, type, subtype }: Pick<LiveValue, 'key' | 'type' | 'subtype'>): boolean {
  return values.length < maxMetrics && values.chars + key.length + type.length + subtype.length <= maxChars
}
