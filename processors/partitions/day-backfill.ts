import type { ShopDay } from '../../schema/document-store.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { CompanyDays } from './company-days.ts'
import type { DayDeps, PartitionCoverage } from './partition-coverage.ts'
import { DayPace } from './day-pace.ts'
import { daysPerTask, type Backfill, type DayTask } from './day-task.ts'

/** Late samples usually arrive within minutes; an earlier build would be repeated. */
const graceMs = 300_000

/** Builds the days that are not covered, the newest first, company by company. */
export class DayBackfill {
  readonly #deps: DayDeps
  readonly #coverage: PartitionCoverage
  readonly #paces = new Map<CompanyRef, DayPace>()
  #current: Backfill | null = null
  /** Until then no further day ends. */
  #idleUntilMs = -Infinity

  constructor(deps: DayDeps, coverage: PartitionCoverage) {
    this.#deps = deps
    this.#coverage = coverage
  }

  /** Checks for missing days at the next `pick`. */
  wake(): void {
    this.#idleUntilMs = -Infinity
  }

  /** Cancels the backfill in progress if it belongs to one of these companies. */
  leave(companies: readonly CompanyRef[]): void {
    if (this.#current && companies.includes(this.#current.of.companyRef)) this.#current = null
  }

  /** Cancels the backfill in progress if it builds one of these days. */
  leaveDays(days: CompanyDays, uncovered: readonly ShopDay[]): void {
    if (this.#current?.of === days && this.#current.days.some(day => uncovered.includes(day))) this.#current = null
    this.wake()
  }

  /** The next slice of the backfill in progress, or the first one of the next; null: no day is missing. */
  pick(nowMs: number): DayTask | null {
    if (this.#current) return this.#slice(this.#current)
    if (nowMs < this.#idleUntilMs) return null
    const { companies } = this.#coverage
    for (const days of companies) {
      this.#current = this.#next(days, nowMs)
      if (this.#current) return this.#slice(this.#current)
    }
    const isDone = companies.every(days => days.uncovered(nowMs - graceMs, 1).length === 0)
    if (isDone) this.#idleUntilMs = Math.min(...companies.map(days => days.dayAt(nowMs - graceMs).endMs + graceMs))
    return null
  }

  /** Counts a stored slice, which took this duration; the last one covers its days. */
  async complete({ companyRef, backfill, machines, days }: DayTask, tookMs: number): Promise<void> {
    if (!backfill || backfill !== this.#current) return
    this.#paceOf(companyRef).record(machines.length * days.length, tookMs)
    backfill.done += machines.length
    if (backfill.done < backfill.machines.length) return
    await this.#coverage.cover(backfill.of, backfill.days)
    this.#current = null
  }

  #next(days: CompanyDays, nowMs: number): Backfill | null {
    const tracks = this.#deps.tracksOf(days.companyRef)
    const fitting = Math.floor(this.#paceOf(days.companyRef).machineDays / Math.max(1, tracks.length))
    const uncovered = days.uncovered(nowMs - graceMs, Math.max(1, Math.min(daysPerTask, fitting)))
    const last = uncovered.at(-1)
    if (!last) return null
    const existing = tracks.filter(({ firstSlotMs }) => firstSlotMs < last.endMs)
    // The last hours of these days have not been computed yet.
    if (existing.some(({ lastSlotMs }) => lastSlotMs + hourMs < last.endMs)) return null
    for (const { startMs, endMs } of uncovered) days.markedOnWrite.add(startMs, endMs)
    const machines = existing.map(({ machineRef }) => machineRef).sort((a, b) => a - b)
    return { of: days, days: uncovered, machines, done: 0 }
  }

  #paceOf(companyRef: CompanyRef): DayPace {
    return getOrCreate(this.#paces, companyRef, () => new DayPace())
  }

  #slice(backfill: Backfill): DayTask {
    const { of, days, done } = backfill
    const machines = backfill.machines.slice(done, done + this.#paceOf(of.companyRef).machineDays)
    const ofSlice = new Set(machines)
    const marks = days.flatMap(day =>
      [...(of.stale.get(day.startMs)?.machines ?? [])]
        .filter(([machineRef]) => ofSlice.has(machineRef))
        .map(([machineRef, mark]) => ({ day, machineRef, mark })),
    )
    return { companyRef: of.companyRef, machines, days, version: this.#deps.nextVersion(), of, backfill, marks }
  }
}
