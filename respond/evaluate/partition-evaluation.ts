import type { MachineRef } from '../../schema/refs.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { horizonMs } from '../incidents/evaluation.ts'
import type { Interval } from '../intervals/interval.ts'
import { Backoff } from './backoff.ts'
import type { KnownActivity } from './known-activity.ts'

/** When the incidents of a machine change without further documents, UTC ms; Infinity: they do not. */
export interface NextEvaluation {
  /** Evaluation limit from which on the documents that exist lead to a change. */
  readonly limitMs: number
  /** Limit at which a silence that lasts leads to a change: later samples postpone it, until `silentForMs` after the newest one. */
  readonly silentMs: number
  readonly silentForMs: number
  /** Clock at which a step is due. */
  readonly clockMs: number
}

interface Waiting {
  /** Instant from which on documents may have changed since the last evaluation; Infinity: none. */
  fromMs: number
  /** Number of the last call of `add`. */
  added: number
  next: NextEvaluation
  /** Delays evaluations that change nothing, until documents are added, and those that fail. */
  backoff: Backoff | null
  /** Limit of the last evaluation that did not fail; null: that of the partition. */
  evaluatedToMs: number | null
}

/** No instant at which an incident changes. */
export const neverDue: NextEvaluation = {
  limitMs: Infinity,
  silentMs: Infinity,
  silentForMs: Infinity,
  clockMs: Infinity,
}
/** Limit of the hours of unchecked histories that are read with an evaluation: they do not delay new documents. */
const maxUncheckedHours = 2_000

/** Limit of the delay after failures, ms: incidents open soon after an outage of the store. */
const maxFailureDelayMs = 5_000

/** Machines to evaluate in a partition that this process owns. Instants are UTC ms. */
export class PartitionEvaluation {
  readonly partition: number
  readonly fence: number
  /** Limit of the last evaluation, except for machines whose evaluation failed. */
  evaluatedToMs: number
  /** Whether `evaluatedToMs` is the limit of an evaluation: otherwise nothing was evaluated yet. */
  isEvaluated: boolean
  /** Whether rules or incidents concern a machine. */
  isConcerned = false
  /** Start of a time in which evaluations are behind; null: they are not. */
  behindSinceMs: number | null = null
  /** Ended gaps that are not stored yet. */
  endedGaps: readonly Interval[] = []
  /** The samples of its machines; null: no rule needs them. */
  activity: KnownActivity | null = null
  storedAtMs = -Infinity
  /** Delays evaluations of the partition that fail. */
  readonly failures = new Backoff()
  /** Start of the histories that a previous owner may not have evaluated. */
  readonly #unchecked = new Map<MachineRef, number>()
  readonly #machines = new Map<MachineRef, Waiting>()
  #added = 0

  /** `evaluatedToMs`: limit of the previous owner; null: it evaluated nothing. */
  constructor(partition: number, fence: number, evaluatedToMs: number | null, clockMs: number) {
    this.partition = partition
    this.fence = fence
    this.isEvaluated = evaluatedToMs !== null
    this.evaluatedToMs = evaluatedToMs ?? clockMs
  }

  /** Number of calls of `add`. An evaluation covers what was added before it began. */
  get added(): number {
    return this.#added
  }

  /** Adds a machine whose documents may have changed from an instant on. */
  add(machineRef: MachineRef, fromMs: number): void {
    const waiting = this.#waitingOf(machineRef)
    waiting.fromMs = Math.min(fromMs, waiting.fromMs)
    waiting.added = ++this.#added
    // New documents do not end a failure.
    if (waiting.evaluatedToMs === null) waiting.backoff = null
  }

  /** Notes that documents of a machine may have changed from an instant on without an evaluation. */
  addUnchecked(machineRef: MachineRef, fromMs: number): void {
    if (fromMs < slotOf(this.evaluatedToMs)) this.#unchecked.set(machineRef, slotOf(fromMs))
  }

  /** Adds unchecked machines, as many as are evaluated together. */
  addNextUnchecked(limitMs: number): void {
    let hours = 0
    for (const [machineRef, fromMs] of this.#unchecked) {
      hours += Math.min(horizonMs, limitMs - fromMs) / hourMs
      if (hours > maxUncheckedHours) return
      this.#unchecked.delete(machineRef)
      this.add(machineRef, fromMs)
    }
  }

  /** Notes that there is nothing to evaluate: no rule, and no unresolved incident. */
  clear(clockMs: number): void {
    this.#machines.clear()
    this.#unchecked.clear()
    this.evaluatedToMs = Math.max(this.evaluatedToMs, clockMs)
    this.isEvaluated = false
    this.behindSinceMs = null
    this.endedGaps = []
    this.activity = null
    this.isConcerned = false
  }

  /** Begins an evaluation up to a limit: the first one begins there, because the documents may end before the clock. */
  begin(limitMs: number): void {
    if (!this.isEvaluated) this.evaluatedToMs = limitMs
    this.isEvaluated = true
  }

  /** Limit to which all machines are evaluated. */
  get allEvaluatedToMs(): number {
    let limitMs = this.evaluatedToMs
    for (const waiting of this.#machines.values()) limitMs = Math.min(limitMs, waiting.evaluatedToMs ?? limitMs)
    return limitMs
  }

  /** Returns the limit to which a machine is evaluated. */
  evaluatedToOf(machineRef: MachineRef): number {
    return this.#machines.get(machineRef)?.evaluatedToMs ?? this.evaluatedToMs
  }

  /** Returns the machines to evaluate up to a limit, with the instant from which on documents or incidents may have changed. */
  due(limitMs: number, clockMs: number): ReadonlyMap<MachineRef, number> {
    const due = new Map<MachineRef, number>()
    for (const [machineRef, waiting] of this.#machines) {
      this.#postponeSilence(machineRef, waiting, limitMs)
      // Kept: the limit of the partition advances while a machine is delayed.
      if (isNextDue(waiting, limitMs, clockMs)) waiting.fromMs = Math.min(waiting.fromMs, this.evaluatedToMs)
      if (waiting.fromMs < Infinity && waiting.backoff?.isOver(clockMs) !== false)
        due.set(machineRef, Math.min(waiting.fromMs, this.evaluatedToMs))
    }
    return due
  }

  #postponeSilence(machineRef: MachineRef, waiting: Waiting, limitMs: number): void {
    if (waiting.next.silentMs > limitMs) return
    const newestMs = this.activity?.newestBefore(machineRef, limitMs) ?? -Infinity
    const silentMs = newestMs + waiting.next.silentForMs + 1
    if (silentMs > limitMs) waiting.next = { ...waiting.next, silentMs }
  }

  /** Notes that a machine was evaluated without changes, by an evaluation that began when `added` had this value. */
  completed(machineRef: MachineRef, added: number, next: NextEvaluation): void {
    const waiting = this.#waitingOf(machineRef)
    waiting.backoff = null
    waiting.next = next
    if (waiting.added <= added) waiting.fromMs = Infinity
    const isNever = next.limitMs === Infinity && next.silentMs === Infinity && next.clockMs === Infinity
    if (isNever && waiting.fromMs === Infinity) this.#machines.delete(machineRef)
  }

  /** Notes that an evaluation changed nothing, and would not now: the machine is evaluated again, at growing intervals. */
  delay(machineRef: MachineRef, clockMs: number): void {
    const waiting = this.#waitingOf(machineRef)
    waiting.backoff ??= new Backoff()
    waiting.backoff.failed(clockMs)
  }

  /** Notes that the evaluation of a machine failed: the next one lacks no time of it. */
  failed(machineRef: MachineRef, clockMs: number): void {
    const waiting = this.#waitingOf(machineRef)
    if (waiting.evaluatedToMs === null) waiting.backoff = new Backoff(maxFailureDelayMs)
    waiting.evaluatedToMs ??= this.evaluatedToMs
    waiting.fromMs = Math.min(waiting.fromMs, slotOf(waiting.evaluatedToMs))
    this.delay(machineRef, clockMs)
  }

  /** Notes that the evaluation of a machine did not fail. */
  succeeded(machineRef: MachineRef): void {
    const waiting = this.#machines.get(machineRef)
    if (waiting === undefined || waiting.evaluatedToMs === null) return
    waiting.evaluatedToMs = null
    waiting.backoff = null
  }

  /** Removes a machine that no rule and no incident concerns. */
  remove(machineRef: MachineRef): void {
    this.#machines.delete(machineRef)
  }

  #waitingOf(machineRef: MachineRef): Waiting {
    const known = this.#machines.get(machineRef)
    if (known) return known
    const waiting: Waiting = { fromMs: Infinity, added: 0, next: neverDue, backoff: null, evaluatedToMs: null }
    this.#machines.set(machineRef, waiting)
    return waiting
  }
}

function isNextDue({ next }: Waiting, limitMs: number, clockMs: number): boolean {
  return Math.min(next.limitMs, next.silentMs) <= limitMs || next.clockMs <= clockMs
}
