import { hourMs } from '../../shared/time/units.ts'
import type { Interval } from '../intervals/interval.ts'

/** Whether the condition of a subject holds, and since when, UTC ms. */
export interface CurrentHold {
  readonly holds: boolean
  readonly sinceMs: number
}

/** Current state and observed holds of a subject. */
export interface ObservedHolds {
  readonly current: CurrentHold
  /** Start of the break with which the observation began, UTC ms; null: it began with a hold. */
  readonly firstBreakMs: number | null
  /** Times in which the condition held, in order; the last one has no end while it holds. */
  readonly intervals: readonly Interval[]
}

/** Time after its end for which a hold is remembered, ms: longer than `quietMs` and `resolveAfterMs` of a rule. */
const rememberedMs = 25 * hourMs
/** Limit of the remembered holds of a subject. */
const maxIntervals = 1_000

/** The holds of subjects of which only the current state is known, as far as this process has observed them. */
export class CurrentHolds {
  readonly #observed = new Map<string, ObservedHolds>()

  /** Returns the observed holds of a subject; null: it was not observed. */
  of(subject: string): ObservedHolds | null {
    return this.#observed.get(subject) ?? null
  }

  /** Notes the state of a subject now. */
  observe(subject: string, { holds, sinceMs }: CurrentHold, nowMs: number): void {
    const known = this.of(subject)
    if (known?.current.holds === holds) return
    const earliestMs = known ? known.current.sinceMs + 1 : -Infinity
    const atMs = Math.min(nowMs, Math.max(sinceMs, earliestMs))
    const before = known?.intervals ?? []
    const ended = before.map(({ startMs, endMs }) => ({ startMs, endMs: Math.min(endMs, atMs) }))
    const intervals = holds ? [...before, { startMs: atMs, endMs: Infinity }] : ended
    const remembered = intervals.filter(({ endMs }) => endMs > nowMs - rememberedMs).slice(-maxIntervals)
    const firstBreakMs = known ? known.firstBreakMs : holds ? null : atMs
    this.#observed.set(subject, { current: { holds, sinceMs: atMs }, firstBreakMs, intervals: remembered })
  }

  /** Forgets all subjects but these. */
  keep(subjects: ReadonlySet<string>): void {
    for (const subject of this.#observed.keys()) if (!subjects.has(subject)) this.#observed.delete(subject)
  }
}
