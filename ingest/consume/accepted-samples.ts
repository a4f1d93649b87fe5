import { SampleColumns } from '../../clickhouse/samples/sample-columns.ts'
import type { LogRecord } from '../../log/log.ts'
import { isStateSample } from '../../processors/timeline/state-samples.ts'
import type { Sample } from '../../schema/sample.ts'
import type { MachineInfo } from '../decode/machine.ts'
import type { Accepted, TimeLimits } from '../decode/validate.ts'
import { appendPacked, type PackedRun, type PackedSamples } from '../decode/compact-columns.ts'

const none: readonly Sample[] = []

/** Consecutive samples of one machine in one record. */
export interface Run extends PackedRun {
  readonly source: LogRecord
}

/** Finds the run of a sample by its index. */
export function runOf(runs: readonly Run[], place: number): Run {
  const run = runs.findLast(({ first }) => first <= place)
  if (run === undefined) throw new Error('invariant: a row of an insert was read from a record')
  return run
}

/** Limits of reused columns: number of uses, names and samples, so that an unusual record does not retain memory. */
const most = { uses: 1_000, names: 200, samples: 50_000 } as const

/** Accepted samples of some records, in the records' order. */
export class AcceptedSamples {
  readonly rows: SampleColumns
  #runs: Run[] = []
  #uses = 0
  /** By index of names: whether they are state keys of a machine whose settings name no keys. */
  readonly #deciding: boolean[] = []
  #newest = new Int32Array(0)

  /** Creates columns with this capacity, which grow as needed. */
  constructor(expected: number) {
    this.rows = new SampleColumns(expected)
  }

  /** Ranges of the samples of each machine. */
  get runs(): readonly Run[] {
    return this.#runs
  }

  /**
   * Removes all samples and reuses the columns, which cost more than the few samples of a small slice; false: create
   * new columns instead.
   */
  reuse(): boolean {
    const { rows } = this
    if (++this.#uses > most.uses || rows.names.length > most.names || rows.length > most.samples) return false
    rows.cutTo(0)
    // A new array, because a sample that the store rejects is still found in the previous one.
    this.#runs = []
    return true
  }

  /**
   * Adds all samples of a compact record; null: not all of them are plain and within the time limits, and none was
   * added.
   */
  appendPacked(
    source: LogRecord,
    packed: PackedSamples,
    boundsOf: (machine: MachineInfo) => TimeLimits,
  ): readonly PackedRun[] | null {
    const runs = appendPacked(packed, this.rows, boundsOf)
    if (runs !== null)
      for (const { machine, first, end, names } of runs) this.#runs.push({ source, machine, first, end, names })
    return runs
  }

  /** Removes the samples of the last runs, which are those of one record. */
  giveBack(runs: readonly PackedRun[]): void {
    this.rows.cutTo(runs[0]?.first ?? this.rows.length)
    this.#runs.length -= runs.length
  }

  /** Adds samples of a record. */
  append(source: LogRecord, accepted: readonly Accepted[]): void {
    for (let at = 0; at < accepted.length;) {
      const machine = accepted[at]?.machine
      if (machine === undefined) return
      const first = this.rows.length
      for (let each = accepted[at]; each?.machine.id === machine.id; each = accepted[++at]) this.rows.push(each)
      const names = [...new Set(this.rows.named.subarray(first))]
      this.#runs.push({ source, machine, first, end: this.rows.length, names })
    }
  }

  /** The state samples of a run, in order. */
  deciding({ machine, first, end, names }: Run): readonly Sample[] {
    const { rows } = this
    if (!this.#decideSome(names, machine)) return none
    if (end - first === 1) return [rows.at(first).sample]
    const deciding = new Set(names.filter(place => this.#decides(place, machine)))
    const samples: Sample[] = []
    const named = rows.named.subarray(first, end)
    for (let index = 0; index < named.length; index++)
      if (deciding.has(named[index] ?? -1)) samples.push(rows.at(first + index).sample)
    return samples
  }

  /** All samples of a run. */
  all({ first, end }: Run): readonly Sample[] {
    return Array.from({ length: end - first }, (_, i) => this.rows.at(first + i).sample)
  }

  /**
   * The newest sample of a run per names, up to an instant, and all later ones, in order; of two with equal time, the
   * later one in the run.
   */
  newest(run: Run, untilUs = Infinity): readonly Sample[] {
    const { first, end, names } = run
    if (end - first === 1) return [this.rows.at(first).sample]
    const { named, atUs } = this.rows
    for (let index = first; index < end; index++)
      if ((atUs[index] ?? 0) > untilUs) return this.#newestAndLater(run, untilUs)
    if (this.#newest.length < this.rows.names.length) this.#newest = new Int32Array(this.rows.names.length * 2)
    const newest = this.#newest
    for (const place of names) newest[place] = first
    for (let index = first; index < end; index++) {
      const place = named[index] ?? 0
      const known = newest[place] ?? first
      if (named[known] !== place || (atUs[index] ?? 0) >= (atUs[known] ?? 0)) newest[place] = index
    }
    // Samples of one metric may differ in other names.
    const places = names.map(place => newest[place] ?? first).sort((a, b) => a - b)
    return places.map(index => this.rows.at(index).sample)
  }

  #newestAndLater({ first, end }: Run, untilUs: number): readonly Sample[] {
    const { named, atUs } = this.rows
    const newest = new Map<number, number>()
    const places: number[] = []
    for (let index = first; index < end; index++) {
      const us = atUs[index] ?? 0
      const name = named[index] ?? 0
      const known = newest.get(name)
      if (us > untilUs) places.push(index)
      else if (known === undefined || us >= (atUs[known] ?? 0)) newest.set(name, index)
    }
    return [...places, ...newest.values()].sort((a, b) => a - b).map(index => this.rows.at(index).sample)
  }

  #decideSome(names: readonly number[], machine: MachineInfo): boolean {
    for (const place of names) if (this.#decides(place, machine)) return true
    return false
  }

  #decides(place: number, machine: MachineInfo): boolean {
    const its = this.rows.names[place]
    if (its === undefined) return false
    if (machine.namedKeys.size > 0) return isStateSample(its, machine.namedKeys)
    return (this.#deciding[place] ??= isStateSample(its, machine.namedKeys))
  }
}
