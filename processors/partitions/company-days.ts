import type { Calendar } from '../calendar/types.ts'
import type { ShopDay } from '../../schema/document-store.ts'
import { TimeRanges } from '../../shared/time/time-ranges.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** The part of a company's calendar that days need. */
export interface DayCalendar {
  /** Equal texts: the days have the same bounds. */
  readonly bounds: string
  readonly calendar: Pick<Calendar, 'bucketsOf'>
}

/** A machine's day whose document may differ from the hours; another object each time that its hours are rewritten. */
export interface StaleMark {
  readonly touchedMs: number
  /** Whether the store is sure to have it. */
  readonly isStored: boolean
}

export interface StaleMachineDays {
  readonly day: ShopDay
  readonly machines: Map<MachineRef, StaleMark>
}

/** Keeps in mind what a partition knows of one company's days, all by the bounds of one calendar. */
export class CompanyDays {
  readonly companyRef: CompanyRef
  readonly bounds: string
  /** The version of the partition's ownership row: days of another epoch don't count. */
  readonly epoch: bigint
  /** The store knows that no machine of the partition has earlier hours. */
  firstMs: number
  /** Days that the store is sure to have as covered. */
  readonly covered = new TimeRanges()
  /** Days that it may have as covered, or that are being made: before their hours are rewritten they are marked as stale. */
  readonly markedOnWrite = new TimeRanges()
  /** Stale marks by start of day. */
  readonly stale = new Map<number, StaleMachineDays>()
  readonly #calendar: DayCalendar['calendar']
  #staleMarks = 0

  constructor(companyRef: CompanyRef, { bounds, calendar }: DayCalendar, epoch: bigint, firstMs: number) {
    this.companyRef = companyRef
    this.bounds = bounds
    this.epoch = epoch
    this.firstMs = firstMs
    this.#calendar = calendar
  }

  /** How many machines' days are marked as stale. */
  get staleMarks(): number {
    return this.#staleMarks
  }

  /** Every day that overlaps [fromMs, toMs). */
  daysOf(fromMs: number, toMs: number): readonly ShopDay[] {
    return this.#calendar.bucketsOf('day', fromMs, toMs)
  }

  /** The day that holds an instant. */
  dayAt(atMs: number): ShopDay {
    const [day] = this.daysOf(atMs, atMs + 1)
    if (!day) throw new Error(`The calendar has no day at ${atMs}`)
    return day
  }

  /** The day with exactly these bounds; null: the calendar has none. */
  dayOf({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }): ShopDay | null {
    const day = this.dayAt(startMs)
    return day.startMs === startMs && day.endMs === endMs ? day : null
  }

  cover({ startMs, endMs }: ShopDay): void {
    this.covered.add(startMs, endMs)
    this.markedOnWrite.add(startMs, endMs)
  }

  markStale(day: ShopDay, machineRef: MachineRef, mark: StaleMark): void {
    const { machines } = this.stale.get(day.startMs) ?? { machines: new Map<MachineRef, StaleMark>() }
    if (!machines.has(machineRef)) this.#staleMarks++
    machines.set(machineRef, mark)
    this.stale.set(day.startMs, { day, machines })
  }

  clearStale({ startMs }: ShopDay, machineRef: MachineRef): void {
    const machines = this.stale.get(startMs)?.machines
    if (!machines?.delete(machineRef)) return
    this.#staleMarks--
    if (machines.size === 0) this.stale.delete(startMs)
  }

  /**
   * The newest days that end by `closedMs`, follow each other and are not covered, oldest first, at most `count`; [] where all
   * are covered back to the first hour.
   */
  uncovered(closedMs: number, count: number): readonly ShopDay[] {
    let endMs = this.dayAt(closedMs).startMs
    for (let range = this.covered.at(endMs - 1); range; range = this.covered.at(endMs - 1)) endMs = range.from
    const days: ShopDay[] = []
    while (days.length < count && endMs > this.firstMs && !this.covered.has(endMs - 1)) {
      const day = this.dayAt(endMs - 1)
      days.unshift(day)
      endMs = day.startMs
    }
    return days
  }

  /** The newest days, following each other, of which a machine was last touched by `restedMs`; oldest first, at most `count`. */
  rested(restedMs: number, count: number): readonly StaleMachineDays[] {
    if (this.#staleMarks === 0) return []
    const isRested = ({ machines }: StaleMachineDays) =>
      [...machines.values()].some(({ touchedMs }) => touchedMs <= restedMs)
    const rested = [...this.stale.values()].filter(isRested).sort((a, b) => b.day.startMs - a.day.startMs)
    const apart = rested.findIndex(({ day }, i) => i > 0 && rested[i - 1]?.day.startMs !== day.endMs)
    return rested.slice(0, Math.min(count, apart < 0 ? rested.length : apart)).reverse()
  }
}
