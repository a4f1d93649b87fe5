import type { ShopDay, VersionedDocument } from '../../schema/document-store.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { CompanyDays } from './company-days.ts'
import type { DayBackfill } from './day-backfill.ts'
import type { DayDeps, PartitionCoverage } from './partition-coverage.ts'
import { daysPerTask, machineDays, type DayTask, type PlacedMark } from './day-task.ts'

/** Delay between the last late sample and the rebuild of a stale day, because late samples arrive in bursts. */
const rebuildDelayMs = 60_000
/** Limit of the stale marks of one day: if more machines change, one row states that the day is no longer covered. */
const marksPerDay = 100
/** Limit of the stale marks of one company in one partition. */
const marksPerCompany = 5_000

/** Marks days as stale before their hours are rewritten, selects them for a rebuild, and then clears the marks. */
export class DayInvalidation {
  readonly #deps: DayDeps
  readonly #coverage: PartitionCoverage
  readonly #backfill: DayBackfill

  constructor(deps: DayDeps, coverage: PartitionCoverage, backfill: DayBackfill) {
    this.#deps = deps
    this.#coverage = coverage
    this.#backfill = backfill
  }

  /** Marks the days of the documents as stale, or stores that they are not covered, before the documents are written. */
  async invalidate(days: CompanyDays, documents: readonly VersionedDocument[]): Promise<void> {
    const { store, clock } = this.#deps
    const { uncovered, marks } = divide(days, touchedDays(days, documents))
    if (uncovered.length > 0) {
      this.#backfill.leaveDays(days, uncovered)
      await this.#coverage.uncover(days, uncovered)
    }
    const newMarks = marks.filter(({ isNew }) => isNew)
    const rows = newMarks.map(({ day, machineRef }) => this.#coverage.staleRow(days, day, machineRef, true))
    if (rows.length > 0) await store.writeStaleDays(rows)
    const touchedMs = clock()
    for (const { day, machineRef } of marks) days.markStale(day, machineRef, { touchedMs, isStored: true })
  }

  /** The newest stale days without late samples for a while, with as many earlier ones as fit; null: none. */
  pick(days: CompanyDays, nowMs: number): DayTask | null {
    const settled = days.staleUntil(nowMs - rebuildDelayMs, daysPerTask)
    const newest = settled.at(-1)
    if (!newest) return null
    const together = [newest]
    const machines = new Set(newest.machines.keys())
    for (const each of settled.slice(0, -1).reverse()) {
      const all = new Set([...machines, ...each.machines.keys()])
      if (all.size * (together.length + 1) > machineDays) break
      together.unshift(each)
      for (const machineRef of all) machines.add(machineRef)
    }
    const marks = together.flatMap(({ day, machines: marked }) =>
      [...marked].map(([machineRef, mark]) => ({ day, machineRef, mark })),
    )
    return {
      companyRef: days.companyRef,
      machines: [...machines].sort((a, b) => a - b),
      days: together.map(({ day }) => day),
      version: this.#deps.nextVersion(),
      of: days,
      backfill: null,
      marks,
    }
  }

  /** Clears the marks of a completed task, except those that were renewed since it was picked. */
  async clear({ of, marks }: DayTask): Promise<void> {
    const isSame = ({ day, machineRef, mark }: PlacedMark) =>
      of.stale.get(day.startMs)?.machines.get(machineRef) === mark
    const cleared = marks.filter(isSame)
    if (cleared.length === 0) return
    // If the acknowledgement is lost, the rows may or may not be stored.
    for (const { day, machineRef, mark } of cleared) of.markStale(day, machineRef, { ...mark, isStored: false })
    const rows = cleared.map(({ day, machineRef }) => this.#coverage.staleRow(of, day, machineRef, false))
    await this.#deps.store.writeStaleDays(rows)
    for (const { day, machineRef } of cleared) of.clearStale(day, machineRef)
  }
}

/** Divides the days into those with too many marks, which are no longer covered, and those that get marks. */
function divide(days: CompanyDays, touched: ReadonlyMap<ShopDay, ReadonlySet<MachineRef>>) {
  const uncovered: ShopDay[] = []
  /** `isNew`: the store may lack it. */
  const marks: { readonly day: ShopDay; readonly machineRef: MachineRef; readonly isNew: boolean }[] = []
  let marksLeft = marksPerCompany - days.staleMarks
  for (const [day, machines] of touched) {
    const known = days.stale.get(day.startMs)?.machines
    const unknown = [...machines].filter(machineRef => !known?.has(machineRef)).length
    if ((known?.size ?? 0) + unknown > marksPerDay || unknown > marksLeft) uncovered.push(day)
    else {
      marksLeft -= unknown
      for (const machineRef of machines)
        marks.push({ day, machineRef, isNew: known?.get(machineRef)?.isStored !== true })
    }
  }
  return { uncovered, marks }
}

/** The days of the documents that must be marked, with their machines. */
function touchedDays(days: CompanyDays, documents: readonly VersionedDocument[]) {
  const bySlot = new Map<number, readonly ShopDay[]>()
  const byStart = new Map<number, ShopDay>()
  const touched = new Map<ShopDay, Set<MachineRef>>()
  for (const { slotMs, machineRef } of documents) {
    const ofSlot = bySlot.get(slotMs) ?? days.daysOf(slotMs, slotMs + hourMs)
    bySlot.set(slotMs, ofSlot)
    for (const found of ofSlot) {
      if (!days.markedOnWrite.has(found.startMs)) continue
      const day = byStart.get(found.startMs) ?? found
      byStart.set(day.startMs, day)
      getOrCreate(touched, day, () => new Set()).add(machineRef)
    }
  }
  return touched
}
