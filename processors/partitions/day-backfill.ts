import type { ShopDay } from '../../schema/document-store.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { CompanyDays } from './company-days.ts'
import type { PartitionCoverage } from './partition-coverage.ts'
import { DayPace } from './day-pace.ts'
import { daysPerTask, type Backfill, type DayTask } from './day-task.ts'
import type { MachineTrack } from './machine-track.ts'

export interface DayBackfillDeps {
  readonly nextVersion: () => bigint
  /** The machines of a company that the partition owns. */
  readonly tracksOf: (companyRef: CompanyRef) => readonly MachineTrack[]
  readonly coverage: PartitionCoverage
}

/** Late samples usually arrive within minutes; an earlier build would be repeated. */
const graceMs = 300_000

/** Makes the days that are not covered, the newest first, one after the other of all companies. */
export class DayBackfill {
  readonly #deps: DayBackfillDeps
  readonly #paces = new Map<CompanyRef, DayPace>()
  #current: Backfill | null = null
  /** Nothing closes before, where nothing else happens. */
  #idleUntilMs = -Infinity

  constructor(deps: DayBackfillDeps) {
    this.#deps = deps
  }

  /** Days of which nothing was known may have to be made. */
  wake(): void {
    this.#idleUntilMs = -Infinity
  }

  /** Gives up the backfill under way where it is of one of these companies. */
  leave(companies: readonly CompanyRef[]): void {
    if (this.#current && companies.includes(this.#current.of.companyRef)) this.#current = null
  }

  /** Gives up the backfill under way where it makes one of these days. */
  leaveDays(days: CompanyDays, left: readonly ShopDay[]): void {
    if (this.#current?.of === days && this.#current.days.some(day => left.includes(day))) this.#current = null
    this.wake()
  }

  /** The next slice of the backfill under way, or the first one of the next; null: there is nothing to make. */
  pick(nowMs: number): DayTask | null {
    if (this.#current) return this.#slice(this.#current)
    if (nowMs < this.#idleUntilMs) return null
    const { companies } = this.#deps.coverage
    for (const days of companies) {
      this.#current = this.#next(days, nowMs)
      if (this.#current) return this.#slice(this.#current)
    }
    const isDone = companies.every(days => days.uncovered(nowMs - graceMs, 1).length === 0)
    if (isDone) this.#idleUntilMs = Math.min(...companies.map(days => days.dayAt(nowMs - graceMs).endMs + graceMs))
    return null
  }

  /** The task's documents are stored, after this duration: with the last slice its days are covered. */
  async made({ companyRef, backfill, machines, days }: DayTask, tookMs: number): Promise<void> {
    if (!backfill || backfill !== this.#current) return
    this.#paceOf(companyRef).made(machines.length * days.length, tookMs)
    backfill.done += machines.length
    if (backfill.done < backfill.machines.length) return
    await this.#deps.coverage.cover(backfill.of, backfill.days)
    this.#current = null
  }

  #next(days: CompanyDays, nowMs: number): Backfill | null {
    const tracks = this.#deps.tracksOf(days.companyRef)
    const count = Math.max(
      1,
      Math.min(daysPerTask, Math.floor(this.#paceOf(days.companyRef).machineDays / Math.max(1, tracks.length))),
    )
    const uncovered = days.uncovered(nowMs - graceMs, count)
    const last = uncovered.at(-1)
    if (!last) return null
    const there = tracks.filter(({ firstSlotMs }) => firstSlotMs < last.endMs)
    // Hours that are not requested by the clock yet: they will be computed soon.
    if (there.some(({ lastSlotMs }) => lastSlotMs + hourMs < last.endMs)) return null
    for (const { startMs, endMs } of uncovered) days.markedOnWrite.add(startMs, endMs)
    const machines = there.map(({ machineRef }) => machineRef).sort((a, b) => a - b)
    return { of: days, days: uncovered, machines, done: 0 }
  }

  #paceOf(companyRef: CompanyRef): DayPace {
    const pace = this.#paces.get(companyRef) ?? new DayPace()
    this.#paces.set(companyRef, pace)
    return pace
  }

  #slice(backfill: Backfill): DayTask {
    const { of, days, done } = backfill
    const machines = backfill.machines.slice(done, done + this.#paceOf(of.companyRef).machineDays)
    const ofSlice = new Set(machines)
    return {
      companyRef: of.companyRef,
      machines,
      days,
      version: this.#deps.nextVersion(),
      of,
      backfill,
      marks: days.flatMap(day =>
        [...(of.stale.get(day.startMs)?.machines ?? [])].flatMap(([machineRef, mark]) =>
          ofSlice.has(machineRef) ? [{ day, machineRef, mark }] : [],
        ),
      ),
    }
  }
}
