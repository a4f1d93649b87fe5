import type { Calendar } from '../calendar/types.ts'
import type { ShopDay } from '../../schema/document-store.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { TimeRanges } from '../../shared/time/time-ranges.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** The part of a company's calendar that days need. */
export interface DayCalendar {
  /** Equal strings: the days have the same bounds. */
  readonly bounds: string
  readonly calendar: Pick<Calendar, 'bucketsOf'>
}

/** Mark of a machine's day whose document may differ from its hours; a new object for each rewrite of the hours. */
export interface StaleMark {
  readonly touchedMs: number
  /** Whether its write was acknowledged. */
  readonly isStored: boolean
}

export interface StaleMachineDays {
  readonly day: ShopDay
  readonly machines: Map<MachineRef, StaleMark>
}

/** Coverage and stale marks of one company's days in a partition, all by the bounds of one calendar. */
export class CompanyDays {
  readonly companyRef: CompanyRef
  readonly bounds: string
  /** Version of the partition's ownership row: days of another epoch do not count. */
  readonly epoch: bigint
  /** No machine of the partition has earlier hours, as stored. */
  firstMs: number
  /** Days that are stored as covered. */
  readonly covered = new TimeRanges()
  /** Days that may be stored as covered, or are being built: they are marked as stale before their hours are rewritten. */
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

  get staleMarks(): number {
    return this.#staleMarks
  }

  /** Every day that overlaps [fromMs, toMs). */
  daysOf(fromMs: number, toMs: number): readonly ShopDay[] {
    return this.#calendar.bucketsOf('day', fromMs, toMs)
  }

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
    const { machines } = getOrCreate(this.stale, day.startMs, () => ({
      day,
      machines: new Map<MachineRef, StaleMark>(),
    }))
    if (!machines.has(machineRef)) this.#staleMarks++
    machines.set(machineRef, mark)
  }

  clearStale({ startMs }: ShopDay, machineRef: MachineRef): void {
    const machines = this.stale.get(startMs)?.machines
    if (!machines?.delete(machineRef)) return
    this.#staleMarks--
    if (machines.size === 0) this.stale.delete(startMs)
  }

  /**
   * The newest consecutive days that end by `closedMs` and are not covered, oldest first, at most `count`; [] if all days
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

  /** The newest consecutive days with a mark that was last renewed by `untilMs`; oldest first, at most `count`. */
  staleUntil(untilMs: number, count: number): readonly StaleMachineDays[] {
    if (this.#staleMarks === 0) return []
    const isSettled = ({ machines }: StaleMachineDays) =>
      [...machines.values()].some(({ touchedMs }) => touchedMs <= untilMs)
    const settled = [...this.stale.values()].filter(isSettled).sort((a, b) => b.day.startMs - a.day.startMs)
    const apart = settled.findIndex(({ day }, i) => i > 0 && settled[i - 1]?.day.startMs !== day.endMs)
    return settled.slice(0, Math.min(count, apart < 0 ? settled.length : apart)).reverse()
  }
}
