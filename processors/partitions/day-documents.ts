import type { VersionedDocument } from '../../schema/document-store.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { CompanyDays } from './company-days.ts'
import { DayBackfill } from './day-backfill.ts'
import { PartitionCoverage, type PartitionCoverageDeps } from './partition-coverage.ts'
import { DayInvalidation } from './day-invalidation.ts'
import type { DayTask } from './day-task.ts'

export interface DayDocumentsDeps extends PartitionCoverageDeps {
  readonly clock: () => number
}

/**
 * Keeps the day documents of a partition's machines, and what says where they may be read. The rule is that a day which
 * counts equals the hours stored: so hours of a covered day are rewritten behind a stale mark, and the mark goes once the day is
 * made again. What memory says of the store errs to the side of marking.
 *
 * All but the making itself (`DayStore.buildDays`) runs between the partition's other tasks, never beside them.
 */
export class DayDocuments {
  readonly #clock: () => number
  readonly #coverage: PartitionCoverage
  readonly #invalidation: DayInvalidation
  readonly #backfill: DayBackfill

  constructor(deps: DayDocumentsDeps) {
    this.#clock = deps.clock
    this.#coverage = new PartitionCoverage(deps)
    this.#backfill = new DayBackfill({ ...deps, coverage: this.#coverage })
    this.#invalidation = new DayInvalidation({
      ...deps,
      coverage: this.#coverage,
      onUncover: (days, uncovered) => this.#backfill.leaveDays(days, uncovered),
    })
  }

  /** Machines' days that are to be made again. */
  get staleDays(): number {
    return this.#coverage.companies.reduce((sum, { staleMarks }) => sum + staleMarks, 0)
  }

  /** Reads what the store says of the companies' days, once their machines are known. */
  async takeOver(companies: readonly CompanyRef[]): Promise<void> {
    for (const companyRef of companies) this.#coverage.forget(companyRef)
    await this.#read()
  }

  /** A company is new, or its calendar may have changed: looked at before any hour is written or any day made. */
  companyChanged(companyRef: CompanyRef): void {
    this.#coverage.forget(companyRef)
  }

  /** Stores what has to be in the store before these documents are. */
  async beforeWrite(documents: readonly VersionedDocument[]): Promise<void> {
    for (const { companyRef } of documents) if (!this.#coverage.of(companyRef)) this.#coverage.forget(companyRef)
    await this.#read()
    for (const [days, ofCompany] of this.#byCompany(documents)) {
      await this.#reachBack(days, ofCompany)
      await this.#invalidation.invalidate(days, ofCompany)
    }
  }

  /** The next statement to run, if there is any: days that are stale first, then the newest that are missing. */
  async pick(): Promise<DayTask | null> {
    await this.#read()
    const nowMs = this.#clock()
    for (const days of this.#coverage.companies) {
      const task = this.#invalidation.pick(days, nowMs)
      if (task) return task
    }
    return this.#backfill.pick(nowMs)
  }

  /** The task's documents are stored, which took so long: tells what they are good for. */
  async made(task: DayTask, tookMs: number): Promise<void> {
    if (this.#coverage.of(task.companyRef) !== task.of) return
    await this.#backfill.made(task, tookMs)
    await this.#invalidation.clear(task)
  }

  async #read(): Promise<void> {
    const begun = await this.#coverage.read()
    if (begun.length === 0) return
    this.#backfill.leave(begun)
    this.#backfill.wake()
  }

  /** The documents that change what is known of a company's days, by company. */
  #byCompany(documents: readonly VersionedDocument[]): ReadonlyMap<CompanyDays, readonly VersionedDocument[]> {
    const found = new Map<CompanyDays, VersionedDocument[]>()
    for (const document of documents) {
      const days = this.#coverage.of(document.companyRef)
      if (!days) continue
      const { slotMs } = document
      if (slotMs >= days.firstMs && !days.markedOnWrite.overlaps(slotMs, slotMs + hourMs)) continue
      const others = found.get(days)
      if (others) others.push(document)
      else found.set(days, [document])
    }
    return found
  }

  /** Hours before those that were thought to be the first: the days before them have yet to be looked at. */
  async #reachBack(days: CompanyDays, documents: readonly VersionedDocument[]): Promise<void> {
    const firstMs = documents.reduce((least, { slotMs }) => Math.min(least, slotMs), days.firstMs)
    if (firstMs === days.firstMs) return
    await this.#coverage.reachBack(days, firstMs)
    this.#backfill.wake()
  }
}
