import type { DayStore, ShopDay, VersionedDocument } from '../../schema/document-store.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { CompanyDays } from './company-days.ts'
import type { PartitionCoverage } from './partition-coverage.ts'
import { daysPerTask, machineDays, type DayTask } from './day-task.ts'

export interface DayInvalidationDeps {
  readonly store: DayStore
  readonly clock: () => number
  readonly nextVersion: () => bigint
  readonly coverage: PartitionCoverage
  /** Called before days are stored as not covered. */
  readonly onUncover: (days: CompanyDays, uncovered: readonly ShopDay[]) => void
}

/** Delay between the last late sample and the rebuild of a stale day, because late samples arrive in bursts. */
const restMs = 60_000
/** Most stale marks of one day. Where more machines change, one row says instead that the day is no longer covered. */
const marksPerDay = 100
/** Most stale marks of one company in one partition. */
const marksPerCompany = 5_000

/** Marks days as stale before their hours are rewritten, selects them for a rebuild, and then clears the marks. */
export class DayInvalidation {
  readonly #deps: DayInvalidationDeps

  constructor(deps: DayInvalidationDeps) {
    this.#deps = deps
  }

  /** Marks the days that the documents fall into as stale, or takes back that they are covered. Call it before they are written. */
  async invalidate(days: CompanyDays, documents: readonly VersionedDocument[]): Promise<void> {
    const { coverage, store, clock, onUncover } = this.#deps
    const { uncovered, marks } = divide(days, touchedDays(days, documents))
    if (uncovered.length > 0) {
      onUncover(days, uncovered)
      await coverage.uncover(days, uncovered)
    }
    const fresh = marks.filter(({ isNew }) => isNew)
    if (fresh.length > 0)
      await store.writeStaleDays(fresh.map(({ day, machineRef }) => coverage.staleRow(days, day, machineRef, true)))
    const touchedMs = clock()
    for (const { day, machineRef } of marks) days.markStale(day, machineRef, { touchedMs, isStored: true })
  }

  /** The newest stale days whose machines have rested, with as many before them as fit; null: there are none. */
  pick(days: CompanyDays, nowMs: number): DayTask | null {
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
      backfill: null,
      marks: together.flatMap(({ day, machines: marked }) =>
        [...marked].map(([machineRef, mark]) => ({ day, machineRef, mark })),
      ),
    }
  }

  /** Clears the marks that the task answers, but those that were touched since it was picked. */
  async clear({ of, marks }: DayTask): Promise<void> {
    const { coverage, store } = this.#deps
    const answered = marks.filter(
      ({ day, machineRef, mark }) => of.stale.get(day.startMs)?.machines.get(machineRef) === mark,
    )
    if (answered.length === 0) return
    // If the acknowledgement is lost, the rows may or may not be stored.
    for (const { day, machineRef, mark } of answered) of.markStale(day, machineRef, { ...mark, isStored: false })
    await store.writeStaleDays(answered.map(({ day, machineRef }) => coverage.staleRow(of, day, machineRef, false)))
    for (const { day, machineRef } of answered) of.clearStale(day, machineRef)
  }
}

interface Divided {
  readonly uncovered: readonly ShopDay[]
  /** `isNew`: the store may lack it. */
  readonly marks: readonly { readonly day: ShopDay; readonly machineRef: MachineRef; readonly isNew: boolean }[]
}

/** Divides the days into those with too many marks, which are no longer covered, and those that get marks. */
function divide(days: CompanyDays, touched: ReadonlyMap<ShopDay, ReadonlySet<MachineRef>>): Divided {
  const uncovered: ShopDay[] = []
  const marks: { readonly day: ShopDay; readonly machineRef: MachineRef; readonly isNew: boolean }[] = []
  let room = marksPerCompany - days.staleMarks
  for (const [day, machines] of touched) {
    const known = days.stale.get(day.startMs)?.machines
    const unknown = [...machines].filter(machineRef => !known?.has(machineRef)).length
    if ((known?.size ?? 0) + unknown > marksPerDay || unknown > room) uncovered.push(day)
    else {
      room -= unknown
      for (const machineRef of machines)
        marks.push({ day, machineRef, isNew: known?.get(machineRef)?.isStored !== true })
    }
  }
  return { uncovered, marks }
}

/** The days to be marked that documents fall into, and of which machines they are. */
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
      if (!days.markedOnWrite.has(found.startMs)) continue
      const day = byStart.get(found.startMs) ?? found
      byStart.set(day.startMs, day)
      touched.set(day, (touched.get(day) ?? new Set()).add(machineRef))
    }
  }
  return touched
}
