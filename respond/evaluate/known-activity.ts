import type { MachineRef } from '../../schema/refs.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import type { Activity } from '../holds/silence.ts'
import { horizonMs } from '../incidents/evaluation.ts'
import type { LongActivities } from './long-activities.ts'

/** When a machine sent samples, as far as this process knows. */
export interface MachineActivity {
  /** Times with samples, in order. Pauses within them are shorter than the silence that any rule requires. */
  readonly activity: readonly Activity[]
  /** Instant from which on every sample is known, UTC ms; -Infinity: all; Infinity: nothing is known yet. */
  readonly activityFromMs: number
  /** Earliest sample before that instant that may have arrived late and change an incident, UTC ms; Infinity: none. */
  readonly lateSampleMs: number
}

interface Known {
  runs: Activity[]
  fromMs: number
  lateMs: number
}

/** Limit of the runs of a machine in memory; the store contains the earlier ones. */
const maxRuns = 500
/**
 * Limit for a few machines whose evaluations need more, because each of their pauses is a silence: more than the longest
 * history has. Otherwise each sample leads to a read of that history.
 */
const maxExtendedRuns = 12_000

/**
 * The activity of the machines of a partition: the newest sample in the store, and those that arrived since this was
 * created. Call `note` for all of them, and `restore` when the store contains the earlier ones.
 */
export class KnownActivity {
  #pauseMs: number
  readonly #machines = new Map<MachineRef, Known>()
  readonly #long: Pick<LongActivities, 'has' | 'add'>
  #isRestored = false

  constructor(pauseMs: number, long: Pick<LongActivities, 'has' | 'add'>) {
    this.#pauseMs = pauseMs
    this.#long = long
  }

  /** Shorter pauses are part of a run, ms: at most the minimum `forMs` of the rules. */
  get pauseMs(): number {
    return this.#pauseMs
  }

  /** Makes longer pauses part of the runs: as many runs then reach further back. */
  lengthenPauses(pauseMs: number): void {
    this.#pauseMs = pauseMs
    for (const known of this.#machines.values()) this.#merge(known, [])
  }

  /**
   * Notes samples of a machine, without heartbeats. Returns whether a silence has changed that an evaluation up to
   * `evaluatedToMs` may have seen, or has ended.
   */
  note(machineRef: MachineRef, firstMs: number, lastMs: number, evaluatedToMs: number): boolean {
    const known = this.#of(machineRef)
    const isOld = lastMs < evaluatedToMs - horizonMs
    if (firstMs < known.fromMs && !isOld) known.lateMs = Math.min(known.lateMs, firstMs)
    const { runs } = known
    const last = runs.at(-1)
    if (last && firstMs >= last.firstMs && firstMs - last.lastMs <= this.#pauseMs) {
      if (lastMs <= last.lastMs) return false
      runs[runs.length - 1] = { firstMs: last.firstMs, lastMs }
      return last.lastMs + this.#pauseMs < evaluatedToMs
    }
    if (runs.some(run => run.firstMs <= firstMs && lastMs <= run.lastMs)) return false
    this.#merge(known, [{ firstMs, lastMs }])
    const limit = this.#long.has(machineRef, this) ? maxExtendedRuns : maxRuns
    if (runs.length > limit) {
      runs.splice(0, runs.length - limit)
      known.fromMs = Math.max(known.fromMs, runs[0]?.firstMs ?? known.fromMs)
    }
    return true
  }

  /**
   * Notes the newest sample that the store contains of each machine; machines without one have sent none. `uncheckedMs`:
   * start of the time in which further samples may have arrived that no evaluation has seen. UTC ms.
   */
  restore(newest: ReadonlyMap<MachineRef, number>, uncheckedMs: (machineRef: MachineRef) => number): void {
    this.#isRestored = true
    for (const [machineRef, known] of this.#machines) {
      if (newest.has(machineRef)) continue
      known.fromMs = -Infinity
      known.lateMs = Infinity
    }
    for (const [machineRef, lastMs] of newest) {
      const known = this.#of(machineRef)
      known.fromMs = lastMs
      known.lateMs = Math.min(known.lateMs < lastMs ? known.lateMs : Infinity, uncheckedMs(machineRef))
      this.#merge(known, [{ firstMs: lastMs, lastMs }])
    }
  }

  /** Adds the activity of a machine that the store contains in [fromMs, what is known). */
  extend(machineRef: MachineRef, fromMs: number, activity: readonly Activity[]): void {
    const known = this.#of(machineRef)
    this.#merge(known, activity)
    known.fromMs = Math.min(known.fromMs, fromMs)
    if (known.runs.length > maxRuns) this.#long.add(machineRef, this)
    if (known.lateMs >= (known.runs.find(({ lastMs }) => lastMs >= known.fromMs)?.firstMs ?? Infinity))
      known.lateMs = Infinity
  }

  of(machineRef: MachineRef): MachineActivity {
    const { runs, fromMs, lateMs } = this.#machines.get(machineRef) ?? this.#unknown()
    const activity = runs
      .filter(({ lastMs }) => lastMs >= fromMs)
      .map(({ firstMs, lastMs }) => ({ firstMs: Math.max(firstMs, fromMs), lastMs }))
    return { activity, activityFromMs: fromMs, lateSampleMs: lateMs }
  }

  /** Returns the newest sample of a machine before an instant, both in UTC ms; -Infinity: none is known. */
  newestBefore(machineRef: MachineRef, ms: number): number {
    const run = this.#machines.get(machineRef)?.runs.findLast(({ firstMs }) => firstMs < ms)
    return run ? Math.min(run.lastMs, ms) : -Infinity
  }

  #of(machineRef: MachineRef): Known {
    return getOrCreate(this.#machines, machineRef, () => this.#unknown())
  }

  /** A machine of which the store contained nothing has sent nothing before. */
  #unknown(): Known {
    return { runs: [], fromMs: this.#isRestored ? -Infinity : Infinity, lateMs: Infinity }
  }

  #merge({ runs }: Known, added: readonly Activity[]): void {
    const sorted = [...runs, ...added].toSorted((a, b) => a.firstMs - b.firstMs)
    runs.length = 0
    for (const run of sorted) {
      const last = runs.at(-1)
      if (!last || run.firstMs - last.lastMs > this.#pauseMs) runs.push(run)
      else if (run.lastMs > last.lastMs) runs[runs.length - 1] = { firstMs: last.firstMs, lastMs: run.lastMs }
    }
  }
}
