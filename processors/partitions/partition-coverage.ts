import type {
  CoverageRow,
  DayStore,
  MachineDay,
  ShopDay,
  StaleDayRow,
  StoredCoverage,
} from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { CompanyDays, type DayCalendar } from './company-days.ts'
import type { MachineTrack } from './machine-track.ts'

/** Dependencies of the day documents of a partition. */
export interface DayDeps {
  readonly partition: number
  /** How many partitions share the machines. */
  readonly partitions: number
  readonly store: DayStore
  readonly clock: () => number
  readonly nextVersion: () => bigint
  readonly tracksOf: (companyRef: CompanyRef) => readonly MachineTrack[]
  /** A company's calendar by the current records; undefined for an unknown company. */
  readonly calendarOf: (companyRef: CompanyRef) => DayCalendar | undefined
}

type Bounds = Pick<ShopDay, 'startMs' | 'endMs'>

/**
 * Caches and stores which days of each company the partition covers. A company's ownership row begins an epoch: the days of earlier
 * epochs do not count. A new epoch begins when the partition is taken over and when a calendar changes.
 */
export class PartitionCoverage {
  readonly #deps: DayDeps
  readonly #companies = new Map<CompanyRef, CompanyDays>()
  /** Companies whose days are not read yet, or whose calendar may have changed. */
  readonly #unread = new Set<CompanyRef>()

  constructor(deps: DayDeps) {
    this.#deps = deps
  }

  get companies(): readonly CompanyDays[] {
    return [...this.#companies.values()]
  }

  of(companyRef: CompanyRef): CompanyDays | undefined {
    return this.#companies.get(companyRef)
  }

  /** A company is new, or its calendar may have changed: the next `read` checks it. */
  recheck(companyRef: CompanyRef): void {
    this.#unread.add(companyRef)
  }

  /**
   * Begins an epoch for the companies to be checked whose calendar is new: only days that are known to be valid are
   * carried over. Returns the companies of new epochs.
   */
  async read(): Promise<readonly CompanyRef[]> {
    const companies = [...this.#unread].filter(companyRef => this.#hasNewCalendar(companyRef))
    if (companies.length > 0) await this.#beginEpochs(companies)
    this.#unread.clear()
    return companies
  }

  async #beginEpochs(companies: readonly CompanyRef[]): Promise<void> {
    const { store, partition } = this.#deps
    const [coverage, stale] = await Promise.all([
      store.readCoverage(partition, companies),
      store.readStaleDays(companies),
    ])
    const begun = companies.flatMap(companyRef => this.#begin(companyRef))
    const covered = groupBy(coverage, ({ companyRef }) => companyRef)
    await store.writeCoverage(begun.flatMap(days => this.#adoptCoverage(days, covered.get(days.companyRef) ?? [])))
    const marked = groupBy(stale, ({ companyRef }) => companyRef)
    const marks = begun.flatMap(days => this.#adoptStaleMarks(days, marked.get(days.companyRef) ?? []))
    if (marks.length > 0) await store.writeStaleDays(marks)
    for (const days of begun) this.#companies.set(days.companyRef, days)
  }

  #hasNewCalendar(companyRef: CompanyRef): boolean {
    const calendar = this.#deps.calendarOf(companyRef)
    return calendar !== undefined && this.#companies.get(companyRef)?.bounds !== calendar.bounds
  }

  #begin(companyRef: CompanyRef): readonly CompanyDays[] {
    const { calendarOf, tracksOf, nextVersion } = this.#deps
    const calendar = calendarOf(companyRef)
    if (!calendar) return []
    const firstMs = tracksOf(companyRef).reduce((least, { firstSlotMs }) => Math.min(least, firstSlotMs), Infinity)
    return [new CompanyDays(companyRef, calendar, nextVersion(), firstMs)]
  }

  /** The rows of the epoch: the ownership row, and the days that were covered and still are days. */
  #adoptCoverage(days: CompanyDays, stored: readonly StoredCoverage[]): readonly CoverageRow[] {
    const kept = stored.flatMap(row => {
      const day = row.partitions === this.#deps.partitions ? days.dayOf(row) : null
      return day ? [day] : []
    })
    for (const day of kept) days.cover(day)
    return [this.#ownershipRow(days), ...kept.map(day => this.#dayRow(days, day, true))]
  }

  /** Stale marks of own machines with versions of this owner; marks of days that the calendar no longer has are cleared. */
  #adoptStaleMarks(days: CompanyDays, stored: readonly MachineDay[]): readonly StaleDayRow[] {
    const own = new Set(this.#deps.tracksOf(days.companyRef).map(({ machineRef }) => machineRef))
    return stored
      .filter(({ machineRef }) => own.has(machineRef))
      .map(marked => {
        const day = days.dayOf(marked)
        if (day) days.markStale(day, marked.machineRef, { touchedMs: -Infinity, isStored: true })
        return this.staleRow(days, marked, marked.machineRef, day !== null)
      })
  }

  /** Stores that the partition has hours of the company from `firstMs` on. */
  async reachBack(days: CompanyDays, firstMs: number): Promise<void> {
    await this.#deps.store.writeCoverage([{ ...this.#ownershipRow(days), firstMs }])
    days.firstMs = firstMs
  }

  /** Stores that all machines have documents of these days. */
  async cover(days: CompanyDays, covered: readonly ShopDay[]): Promise<void> {
    await this.#deps.store.writeCoverage(covered.map(day => this.#dayRow(days, day, true)))
    for (const day of covered) days.cover(day)
  }

  /** Stores that reports read these days from hours. */
  async uncover(days: CompanyDays, uncovered: readonly ShopDay[]): Promise<void> {
    for (const { startMs, endMs } of uncovered) days.covered.remove(startMs, endMs)
    await this.#deps.store.writeCoverage(uncovered.map(day => this.#dayRow(days, day, false)))
    for (const { startMs, endMs } of uncovered) days.markedOnWrite.remove(startMs, endMs)
  }

  /** Writes that the partition owns machines of the company, in this epoch. */
  #ownershipRow(days: CompanyDays): CoverageRow {
    return this.#dayRow(days, { startMs: 0, endMs: 0 }, true)
  }

  #dayRow(days: CompanyDays, { startMs, endMs }: Bounds, covered: boolean): CoverageRow {
    const { partition, partitions, nextVersion } = this.#deps
    const { companyRef, epoch, firstMs } = days
    return { companyRef, startMs, endMs, partition, partitions, covered, firstMs, epoch, version: nextVersion() }
  }

  /** A machine's day with its stale mark, or without it. */
  staleRow(
    { companyRef }: CompanyDays,
    { startMs, endMs }: Bounds,
    machineRef: MachineRef,
    stale: boolean,
  ): StaleDayRow {
    return { companyRef, machineRef, startMs, endMs, stale, version: this.#deps.nextVersion() }
  }
}
