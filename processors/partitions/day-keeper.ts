import { hourMs } from '../../shared/time/units.ts'
import { CompanyDays, type DayCalendar, type Mark } from './company-days.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import type { MachineTrack } from './machine-track.ts'
import type {
  CoverageRow,
  DayStore,
  MachineDay,
  ShopDay,
  StaleDayRow,
  StoredCoverage,
  VersionedDocument,
} from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

export interface DayKeeperDeps {
  readonly partition: number
  /** How many partitions share the machines. */
  readonly partitions: number
  readonly store: DayStore
  readonly clock: () => number
  readonly nextVersion: () => bigint
  /** The machines of a company that the partition owns. */
  readonly tracksOf: (companyRef: CompanyRef) => readonly MachineTrack[]
  /** A company's calendar by the records as they are now; undefined for one that doesn't exist. */
  readonly calendarOf: (companyRef: CompanyRef) => DayCalendar | undefined
}

/** One statement's worth of day documents. */
export interface DayTask {
  readonly companyRef: CompanyRef
  readonly machines: readonly MachineRef[]
  /** In order, without a gap. */
  readonly days: readonly ShopDay[]
  readonly version: bigint
  /** In whose memory it was picked. */
  readonly of: CompanyDays
  /** The filling that it is a slice of; null: days are made again. */
  readonly filling: Filling | null
  /** Marks that it answers, as they were when it was picked. */
  readonly marks: readonly { readonly day: ShopDay; readonly machineRef: MachineRef; readonly mark: Mark }[]
}

type Bounds = Pick<ShopDay, 'startMs' | 'endMs'>

/** Days that are made for all machines, some machines at a time. */
interface Filling {
  readonly of: CompanyDays
  readonly days: readonly ShopDay[]
  readonly machines: readonly MachineRef[]
  /** How many of the machines are done. */
  done: number
}

/** Most samples that come late come within minutes; a day that was made already would have to be made again. */
const graceMs = 300_000
/** Late samples come in bursts: a marked day is made again once they pause. */
const restMs = 60_000
/** Machine-days of one statement: about a quarter of a second of the engine, so that what the pipeline reads never waits long. */
const machineDays = 250
/** A statement of many days writes parts of a few months at most. */
const daysPerTask = 62
/** Where more machines of a day change, the day is no longer covered instead: one row, and reports carry few exceptions. */
const marksPerDay = 100
/** And so in all, of one company in one partition. */
const marksPerCompany = 5_000

/**
 * Keeps the day documents of a partition's machines, and what says where they may be read. The rule is that a day which
 * counts equals the hours stored: so hours of a covered day are rewritten behind a mark, and the mark goes once the day is made
 * again. What memory says of the store errs to the side of marking.
 *
 * All but the making itself (`DayStore.buildDays`) runs between the partition's other tasks, never beside them.
 */
export class DayKeeper {
  readonly #deps: DayKeeperDeps
  readonly #companies = new Map<CompanyRef, CompanyDays>()
  /** Companies whose days have yet to be read, or whose calendar may be another one. */
  readonly #unread = new Set<CompanyRef>()
  #filling: Filling | null = null
  /** Nothing closes before, where nothing else happens. */
  #idleUntilMs = -Infinity

  constructor(deps: DayKeeperDeps) {
    this.#deps = deps
  }

  /** Machines' days that are to be made again. */
  get staleDays(): number {
    return [...this.#companies.values()].reduce((sum, { marks }) => sum + marks, 0)
  }

  /** Reads what the store says of the companies' days, once their machines are known. */
  async takeOver(companies: readonly CompanyRef[]): Promise<void> {
    for (const companyRef of companies) this.#unread.add(companyRef)
    await this.#read()
  }

  /** A company is new, or its calendar may have changed: looked at before any hour is written or any day made. */
  companyChanged(companyRef: CompanyRef): void {
    this.#unread.add(companyRef)
  }

  /** What has to be in the store before these documents are. */
  async beforeWrite(documents: readonly VersionedDocument[]): Promise<void> {
    for (const { companyRef } of documents) if (!this.#companies.has(companyRef)) this.#unread.add(companyRef)
    await this.#read()
    for (const [days, ofCompany] of this.#byCompany(documents)) {
      await this.#reachBack(days, ofCompany)
      await this.#guard(days, ofCompany)
    }
  }

  /** The next statement to run, if there is any: days that are stale first, then the newest that are missing. */
  async pick(): Promise<DayTask | null> {
    await this.#read()
    const nowMs = this.#deps.clock()
    const companies = [...this.#companies.values()]
    for (const days of companies) {
      const task = this.#pickStale(days, nowMs)
      if (task) return task
    }
    if (this.#filling) return this.#slice(this.#filling)
    if (nowMs < this.#idleUntilMs) return null
    for (const days of companies) {
      this.#filling = this.#nextFilling(days, nowMs)
      if (this.#filling) return this.#slice(this.#filling)
    }
    const isDone = companies.every(days => days.uncovered(nowMs - graceMs, 1).length === 0)
    if (isDone) this.#idleUntilMs = Math.min(...companies.map(days => days.dayAt(nowMs - graceMs).endMs + graceMs))
    return null
  }

  /** The task's documents are stored: tells what they are good for. */
  async made(task: DayTask): Promise<void> {
    if (this.#companies.get(task.companyRef) !== task.of) return
    const { filling } = task
    if (filling && filling === this.#filling) {
      filling.done += task.machines.length
      if (filling.done >= filling.machines.length) await this.#cover(filling)
    }
    await this.#unmark(task)
  }

  /** Begins an epoch for the companies yet to be read: only what is known to hold now goes over into it. */
  async #read(): Promise<void> {
    const companies = [...this.#unread].filter(companyRef => this.#isOther(companyRef))
    if (companies.length > 0) {
      const { store, partition } = this.#deps
      const [coverage, stale] = await Promise.all([
        store.readCoverage(partition, companies),
        store.readStaleDays(companies),
      ])
      const begun = companies.flatMap(companyRef => this.#begin(companyRef))
      const covered = groupBy(coverage, ({ companyRef }) => companyRef)
      await store.writeCoverage(begun.flatMap(days => this.#takeCoverage(days, covered.get(days.companyRef) ?? [])))
      const marked = groupBy(stale, ({ companyRef }) => companyRef)
      const marks = begun.flatMap(days => this.#takeMarks(days, marked.get(days.companyRef) ?? []))
      if (marks.length > 0) await store.writeStaleDays(marks)
      for (const days of begun) this.#companies.set(days.companyRef, days)
      if (this.#filling && companies.includes(this.#filling.of.companyRef)) this.#filling = null
      this.#idleUntilMs = -Infinity
    }
    this.#unread.clear()
  }

  #isOther(companyRef: CompanyRef): boolean {
    const known = this.#companies.get(companyRef)
    const calendar = this.#deps.calendarOf(companyRef)
    return calendar !== undefined && known?.bounds !== calendar.bounds
  }

  #begin(companyRef: CompanyRef): readonly CompanyDays[] {
    const { calendarOf, tracksOf, nextVersion } = this.#deps
    const calendar = calendarOf(companyRef)
    if (!calendar) return []
    const firstMs = tracksOf(companyRef).reduce((least, { firstSlotMs }) => Math.min(least, firstSlotMs), Infinity)
    return [new CompanyDays(companyRef, calendar, nextVersion(), firstMs)]
  }

  /** The rows of the epoch: the partition's word, and the days that were covered and still are days. */
  #takeCoverage(days: CompanyDays, stored: readonly StoredCoverage[]): readonly CoverageRow[] {
    const kept = stored.flatMap(row => {
      const day = row.partitions === this.#deps.partitions ? days.dayOf(row) : null
      return day ? [day] : []
    })
    for (const day of kept) days.cover(day)
    return [this.#word(days), ...kept.map(day => this.#dayRow(days, day, true))]
  }

  /** Marks of one's own machines, again under one's own versions; those of days that the calendar doesn't have any more go. */
  #takeMarks(days: CompanyDays, stored: readonly MachineDay[]): readonly StaleDayRow[] {
    const own = new Set(this.#deps.tracksOf(days.companyRef).map(({ machineRef }) => machineRef))
    return stored
      .filter(({ machineRef }) => own.has(machineRef))
      .map(marked => {
        const day = days.dayOf(marked)
        if (day) days.mark(day, marked.machineRef, { touchedMs: -Infinity, isStored: true })
        return this.#staleRow(days, marked, marked.machineRef, day !== null)
      })
  }

  #byCompany(documents: readonly VersionedDocument[]): ReadonlyMap<CompanyDays, VersionedDocument[]> {
    const found = new Map<CompanyDays, VersionedDocument[]>()
    for (const document of documents) {
      const days = this.#companies.get(document.companyRef)
      if (!days) continue
      const { slotMs } = document
      if (slotMs >= days.firstMs && !days.guarded.overlaps(slotMs, slotMs + hourMs)) continue
      const others = found.get(days)
      if (others) others.push(document)
      else found.set(days, [document])
    }
    return found
  }

  /** Hours before those that were thought to be the first: days before aren't vouched for without a look any more. */
  async #reachBack(days: CompanyDays, documents: readonly VersionedDocument[]): Promise<void> {
    const firstMs = documents.reduce((least, { slotMs }) => Math.min(least, slotMs), days.firstMs)
    if (firstMs === days.firstMs) return
    await this.#deps.store.writeCoverage([{ ...this.#word(days), firstMs }])
    days.firstMs = firstMs
    this.#idleUntilMs = -Infinity
  }

  /** Marks the days that the documents fall into, or takes back that they are covered. */
  async #guard(days: CompanyDays, documents: readonly VersionedDocument[]): Promise<void> {
    const touched = touchedDays(days, documents)
    const uncovered: ShopDay[] = []
    const marks: { readonly day: ShopDay; readonly machineRef: MachineRef; readonly isNew: boolean }[] = []
    let room = marksPerCompany - days.marks
    for (const [day, machines] of touched) {
      const known = days.marked.get(day.startMs)?.machines
      const unknown = [...machines].filter(machineRef => !known?.has(machineRef)).length
      if ((known?.size ?? 0) + unknown > marksPerDay || unknown > room) uncovered.push(day)
      else {
        room -= unknown
        for (const machineRef of machines)
          marks.push({ day, machineRef, isNew: known?.get(machineRef)?.isStored !== true })
      }
    }
    if (uncovered.length > 0) await this.#uncover(days, uncovered)
    const fresh = marks.filter(({ isNew }) => isNew)
    if (fresh.length > 0)
      await this.#deps.store.writeStaleDays(
        fresh.map(({ day, machineRef }) => this.#staleRow(days, day, machineRef, true)),
      )
    const mark = { touchedMs: this.#deps.clock(), isStored: true }
    for (const { day, machineRef } of marks) days.mark(day, machineRef, { ...mark })
  }

  async #uncover(days: CompanyDays, uncovered: readonly ShopDay[]): Promise<void> {
    if (this.#filling?.of === days && this.#filling.days.some(day => uncovered.includes(day))) this.#filling = null
    for (const { startMs, endMs } of uncovered) days.covered.remove(startMs, endMs)
    this.#idleUntilMs = -Infinity
    await this.#deps.store.writeCoverage(uncovered.map(day => this.#dayRow(days, day, false)))
    for (const { startMs, endMs } of uncovered) days.guarded.remove(startMs, endMs)
  }

  #pickStale(days: CompanyDays, nowMs: number): DayTask | null {
    const rested = days.rested(nowMs - restMs, daysPerTask)
    const newest = rested.at(-1)
    if (!newest) return null
    const together = [newest]
    const machines = new Set(newest.machines.keys())
    for (const each of rested.slice(0, -1).reverse()) {
      const all = new Set([...machines, ...each.machines.keys()])
      if (all.size * (together.length + 1) > machineDays) break
      together.unshift(each)
      for (const machineRef of all) machines.add(machineRef)
    }
    return {
      companyRef: days.companyRef,
      machines: [...machines].sort((a, b) => a - b),
      days: together.map(({ day }) => day),
      version: this.#deps.nextVersion(),
      of: days,
      filling: null,
      marks: together.flatMap(({ day, machines }) =>
        [...machines].map(([machineRef, mark]) => ({ day, machineRef, mark })),
      ),
    }
  }

  #nextFilling(days: CompanyDays, nowMs: number): Filling | null {
    const tracks = this.#deps.tracksOf(days.companyRef)
    const count = Math.max(1, Math.min(daysPerTask, Math.floor(machineDays / Math.max(1, tracks.length))))
    const uncovered = days.uncovered(nowMs - graceMs, count)
    const last = uncovered.at(-1)
    if (!last) return null
    const there = tracks.filter(({ firstSlotMs }) => firstSlotMs < last.endMs)
    // Hours that time has not asked for yet: they are about to come.
    if (there.some(({ lastSlotMs }) => lastSlotMs + hourMs < last.endMs)) return null
    for (const { startMs, endMs } of uncovered) days.guarded.add(startMs, endMs)
    const machines = there.map(({ machineRef }) => machineRef).sort((a, b) => a - b)
    return { of: days, days: uncovered, machines, done: 0 }
  }

  #slice(filling: Filling): DayTask {
    const { of, days, done } = filling
    const machines = filling.machines.slice(done, done + machineDays)
    const ofSlice = new Set(machines)
    return {
      companyRef: of.companyRef,
      machines,
      days,
      version: this.#deps.nextVersion(),
      of,
      filling,
      marks: days.flatMap(day =>
        [...(of.marked.get(day.startMs)?.machines ?? [])].flatMap(([machineRef, mark]) =>
          ofSlice.has(machineRef) ? [{ day, machineRef, mark }] : [],
        ),
      ),
    }
  }

  async #cover({ of, days }: Filling): Promise<void> {
    await this.#deps.store.writeCoverage(days.map(day => this.#dayRow(of, day, true)))
    for (const day of days) of.cover(day)
    this.#filling = null
  }

  /** Only marks that nothing has touched since the task was picked. */
  async #unmark({ of, marks }: DayTask): Promise<void> {
    const answered = marks.filter(
      ({ day, machineRef, mark }) => of.marked.get(day.startMs)?.machines.get(machineRef) === mark,
    )
    if (answered.length === 0) return
    // Should the answer be lost, nobody knows whether they are there.
    for (const { day, machineRef, mark } of answered) of.mark(day, machineRef, { ...mark, isStored: false })
    await this.#deps.store.writeStaleDays(
      answered.map(({ day, machineRef }) => this.#staleRow(of, day, machineRef, false)),
    )
    for (const { day, machineRef } of answered) of.unmark(day, machineRef)
  }

  /** The partition's own word of a company. */
  #word(days: CompanyDays): CoverageRow {
    return this.#dayRow(days, { startMs: 0, endMs: 0 }, true)
  }

  #dayRow(days: CompanyDays, { startMs, endMs }: Bounds, covered: boolean): CoverageRow {
    const { partition, partitions, nextVersion } = this.#deps
    const { companyRef, epoch, firstMs } = days
    return { companyRef, startMs, endMs, partition, partitions, covered, firstMs, epoch, version: nextVersion() }
  }

  #staleRow(
    { companyRef }: CompanyDays,
    { startMs, endMs }: Bounds,
    machineRef: MachineRef,
    stale: boolean,
  ): StaleDayRow {
    return { companyRef, machineRef, startMs, endMs, stale, version: this.#deps.nextVersion() }
  }
}

/** The guarded days that documents fall into, and of which machines they are. */
function touchedDays(
  days: CompanyDays,
  documents: readonly VersionedDocument[],
): ReadonlyMap<ShopDay, ReadonlySet<MachineRef>> {
  const bySlot = new Map<number, readonly ShopDay[]>()
  const byStart = new Map<number, ShopDay>()
  const touched = new Map<ShopDay, Set<MachineRef>>()
  for (const { slotMs, machineRef } of documents) {
    const ofSlot = bySlot.get(slotMs) ?? days.daysOf(slotMs, slotMs + hourMs)
    bySlot.set(slotMs, ofSlot)
    for (const found of ofSlot) {
      if (!days.guarded.has(found.startMs)) continue
      const day = byStart.get(found.startMs) ?? found
      byStart.set(day.startMs, day)
      touched.set(day, (touched.get(day) ?? new Set()).add(machineRef))
    }
  }
  return touched
}
