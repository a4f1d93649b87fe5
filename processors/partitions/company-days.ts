import type { Calendar } from '../calendar/types.ts'
import type { ShopDay } from '../../schema/document-store.ts'
import { TimeRanges } from '../../shared/time/time-ranges.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** What is needed of a company's calendar. */
export interface DayCalendar {
  /** Equal texts: the days have the same bounds. */
  readonly bounds: string
  readonly calendar: Pick<Calendar, 'bucketsOf'>
}

/** A machine's day whose document may differ from the hours; another object each time that its hours are rewritten. */
export interface Mark {
  readonly touchedMs: number
  /** Whether the store is sure to have it. */
  readonly isStored: boolean
}

export interface MarkedDay {
  readonly day: ShopDay
  readonly machines: Map<MachineRef, Mark>
}

/** What a partition keeps in mind of one company's days, all by the bounds of one calendar. */
export class CompanyDays {
  readonly companyRef: CompanyRef
  readonly bounds: string
  /** The version of the partition's own word: days of another one don't count. */
  readonly epoch: bigint
  /** No machine of the partition has hours before, as the store has been told. */
  firstMs: number
  /** Days that the store is sure to have as covered. */
  readonly covered = new TimeRanges()
  /** Days that it may have as covered, or that are being made: their hours are rewritten behind marks. */
  readonly guarded = new TimeRanges()
  /** By start of day. */
  readonly marked = new Map<number, MarkedDay>()
  readonly #calendar: DayCalendar['calendar']
  #marks = 0

  constructor(companyRef: CompanyRef, { bounds, calendar }: DayCalendar, epoch: bigint, firstMs: number) {
    this.companyRef = companyRef
    this.bounds = bounds
    this.epoch = epoch
    this.firstMs = firstMs
    this.#calendar = calendar
  }

  /** How many machines' days are marked. */
  get marks(): number {
    return this.#marks
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
    this.guarded.add(startMs, endMs)
  }

  mark(day: ShopDay, machineRef: MachineRef, mark: Mark): void {
    const { machines } = this.marked.get(day.startMs) ?? { machines: new Map<MachineRef, Mark>() }
    if (!machines.has(machineRef)) this.#marks++
    machines.set(machineRef, mark)
    this.marked.set(day.startMs, { day, machines })
  }

  unmark({ startMs }: ShopDay, machineRef: MachineRef): void {
    const machines = this.marked.get(startMs)?.machines
    if (!machines?.delete(machineRef)) return
    this.#marks--
    if (machines.size === 0) this.marked.delete(startMs)
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
  rested(restedMs: number, count: number): readonly MarkedDay[] {
    if (this.#marks === 0) return []
    const isRested = ({ machines }: MarkedDay) => [...machines.values()].some(({ touchedMs }) => touchedMs <= restedMs)
    const rested = [...this.marked.values()].filter(isRested).sort((a, b) => b.day.startMs - a.day.startMs)
    const apart = rested.findIndex(({ day }, i) => i > 0 && rested[i - 1]?.day.startMs !== day.endMs)
    return rested.slice(0, Math.min(count, apart < 0 ? rested.length : apart)).reverse()
  }
}
