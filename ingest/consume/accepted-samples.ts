import { SampleColumns } from '../../clickhouse/samples/sample-columns.ts'
import type { LogRecord } from '../../log/log.ts'
import { isHeartbeat } from '../../schema/heartbeat.ts'
import { isStateSample } from '../../processors/timeline/state-samples.ts'
import type { Sample } from '../../schema/sample.ts'
import type { Accepted, MachineInfo, SampleReader } from '../decode/validate.ts'

const none: readonly Sample[] = []

/** Consecutive samples of one machine in one record. */
export interface Run {
  readonly source: LogRecord
  /** Whether all samples of the record are plain, and were accepted, and none is a heartbeat. */
  readonly isPlain: boolean
  readonly machine: MachineInfo
  /** Index of the first sample, and the index after the last one. */
  readonly first: number
  readonly end: number
  /** Indexes of their names. */
  readonly names: readonly number[]
}

/** A run to which samples are added. */
interface OpenRun extends Run {
  end: number
  readonly names: number[]
}

/** Maximum number of samples of a run, so that work on runs can yield to the event loop between them. */
export const samplesAtOnce = 2_000

/** Finds the run of a sample by its index. */
export function findRun(runs: readonly Run[], index: number): Run {
  const run = runs.findLast(({ first }) => first <= index)
  if (run === undefined) throw new Error('invariant: a row of an insert was read from a record')
  return run
}

/** Limits of reused columns: number of uses, names and samples, so that an unusual record does not retain memory. */
const reuseLimits = { uses: 1_000, names: 200, samples: 50_000 } as const

/** A heartbeat of a machine: it only counts as activity. */
export interface MachineHeartbeat {
  readonly machine: MachineInfo
  readonly atUs: number
}

/** Accepted samples of some records, in the records' order. */
export class AcceptedSamples {
  readonly rows: SampleColumns
  #runs: Run[] = []
  #heartbeats: MachineHeartbeat[] = []
  #uses = 0
  /** By index of names: whether they are state keys of a machine whose settings name no keys. */
  readonly #isState: boolean[] = []
  /** By index of names: the index of the newest sample of a run. */
  #newest = new Int32Array(0)

  /** Creates columns with this capacity, which grow as needed. */
  constructor(expected: number) {
    this.rows = new SampleColumns(expected)
  }

  /** Ranges of the samples of each machine. */
  get runs(): readonly Run[] {
    return this.#runs
  }

  /** Samples that state that a machine's source was heard; they are not among the rows. */
  get heartbeats(): readonly MachineHeartbeat[] {
    return this.#heartbeats
  }

  /**
   * Removes all samples and reuses the columns, which cost more than the few samples of a small slice; false: create
   * new columns instead.
   */
  reuse(): boolean {
    const { rows } = this
    const { uses, names, samples } = reuseLimits
    if (++this.#uses > uses || rows.names.length > names || rows.length > samples) return false
    this.clear()
    return true
  }

  clear(): void {
    this.rows.cutTo(0)
    // A new array, because a sample that the store rejects is still found in the previous one.
    this.#runs = []
    this.#heartbeats = []
  }

  /** Adds all samples of a record; false: not all of them are plain and valid, and none was added. */
  appendPlain(source: LogRecord, reader: SampleReader): boolean {
    const { rows } = this
    const [first, runs, heartbeats] = [rows.length, this.#runs.length, this.#heartbeats.length]
    let run: OpenRun | undefined
    /** By index of names: the number of the last run that has them. */
    const lastRuns: number[] = []
    let read = reader.next()
    for (; read === 'sample'; read = reader.next()) {
      if (isHeartbeat(reader.names)) {
        this.#heartbeats.push({ machine: reader.machine, atUs: reader.atUs })
        continue
      }
      const name = rows.placeOf(reader.names)
      if (run?.machine !== reader.machine || rows.length - run.first >= samplesAtOnce) {
        // An array that grows from empty reserves memory for many more: most machines that share a record have few samples in it.
        run = { source, isPlain: true, machine: reader.machine, first: rows.length, end: 0, names: [name] }
        lastRuns[name] = this.#runs.push(run)
      } else if (lastRuns[name] !== this.#runs.length) {
        lastRuns[name] = this.#runs.length
        run.names.push(name)
      }
      rows.pushPlain(reader, name)
      run.end = rows.length
    }
    if (read === 'end') {
      // The record contains more than its runs.
      if (this.#heartbeats.length > heartbeats)
        for (let index = runs; index < this.#runs.length; index++) this.#setNotPlain(index)
      return true
    }
    rows.cutTo(first)
    this.#runs.length = runs
    this.#heartbeats.length = heartbeats
    return false
  }

  append(source: LogRecord, decoded: readonly Accepted[]): void {
    const accepted = decoded.filter(({ machine, sample }) => {
      if (!isHeartbeat(sample)) return true
      this.#heartbeats.push({ machine, atUs: sample.atUs })
      return false
    })
    for (let at = 0; at < accepted.length;) {
      const machine = accepted[at]?.machine
      if (machine === undefined) return
      const first = this.rows.length
      for (let each = accepted[at]; each?.machine === machine; each = accepted[++at]) {
        if (this.rows.length - first >= samplesAtOnce) break
        this.rows.push(each)
      }
      this.#endRun({ source, isPlain: false, machine, first })
    }
  }

  without(indexes: ReadonlySet<number>): AcceptedSamples {
    const others = new AcceptedSamples(this.rows.length)
    others.#heartbeats = this.#heartbeats
    for (const { source, machine, first, end } of this.#runs) {
      const own = others.rows.length
      for (let index = first; index < end; index++) if (!indexes.has(index)) others.rows.push(this.rows.at(index))
      if (others.rows.length > own) others.#endRun({ source, isPlain: false, machine, first: own })
    }
    return others
  }

  #setNotPlain(index: number): void {
    const run = this.#runs[index]
    if (run !== undefined) this.#runs[index] = { ...run, isPlain: false }
  }

  /** Adds the run of the last samples. */
  #endRun(run: Omit<Run, 'end' | 'names'>): void {
    const names = [...new Set(this.rows.named.subarray(run.first))]
    this.#runs.push({ ...run, end: this.rows.length, names })
  }

  /** The state samples of a run, in order. */
  stateSamples({ machine, first, end, names }: Run): readonly Sample[] {
    const { rows } = this
    if (!this.#hasState(names, machine)) return none
    if (end - first === 1) return [rows.at(first).sample]
    const stateNames = new Set(names.filter(name => this.#setsState(name, machine)))
    const samples: Sample[] = []
    const named = rows.named.subarray(first, end)
    for (let index = 0; index < named.length; index++)
      if (stateNames.has(named[index] ?? -1)) samples.push(rows.at(first + index).sample)
    return samples
  }

  all({ first, end }: Run): readonly Sample[] {
    return Array.from({ length: end - first }, (_, i) => this.rows.at(first + i).sample)
  }

  /**
   * The newest sample of a run per names, up to an instant, and all later ones, in order; of two with equal time, the
   * later one in the run.
   */
  newest({ first, end, names }: Run, untilUs = Infinity): readonly Sample[] {
    if (end - first === 1) return [this.rows.at(first).sample]
    const { named, atUs } = this.rows
    if (this.#newest.length < this.rows.names.length) this.#newest = new Int32Array(this.rows.names.length * 2)
    const newest = this.#newest
    for (const name of names) newest[name] = -1
    const selected: number[] = []
    for (let index = first; index < end; index++) {
      const us = atUs[index] ?? 0
      const name = named[index] ?? 0
      const known = newest[name] ?? -1
      if (us > untilUs) selected.push(index)
      else if (known < 0 || us >= (atUs[known] ?? 0)) newest[name] = index
    }
    // Samples of one metric may differ in other names.
    for (const name of names) {
      const index = newest[name] ?? -1
      if (index >= 0) selected.push(index)
    }
    return selected.sort((a, b) => a - b).map(index => this.rows.at(index).sample)
  }

  #hasState(names: readonly number[], machine: MachineInfo): boolean {
    for (const name of names) if (this.#setsState(name, machine)) return true
    return false
  }

  /** Whether samples with the names of this index are state samples of the machine. */
  #setsState(name: number, machine: MachineInfo): boolean {
    const its = this.rows.names[name]
    if (its === undefined) return false
    if (machine.namedKeys.size > 0) return isStateSample(its, machine.namedKeys)
    return (this.#isState[name] ??= isStateSample(its, machine.namedKeys))
  }
}
