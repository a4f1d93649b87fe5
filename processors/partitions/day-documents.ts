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
 * Maintains the day documents of a partition's machines, and the rows that state where readers may use them. Invariant:
 * a valid day equals its stored hours. So hours of a covered day are rewritten after a stale mark is stored, and the
 * mark is removed after the day is rebuilt. When memory and store may differ, the day is marked. Everything except
 * `DayStore.buildDays` runs between the partition's other tasks, never beside them.
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

  /** Days of machines that must be rebuilt. */
  get staleDays(): number {
    return this.#coverage.companies.reduce((sum, { staleMarks }) => sum + staleMarks, 0)
  }

  /** Reads the stored days of the companies when their machines are known. */
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

  /** The task's documents are stored, after this duration: updates coverage and marks. */
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

  /** Hours before the assumed first ones: the days before them are not checked yet. */
  async #reachBack(days: CompanyDays, documents: readonly VersionedDocument[]): Promise<void> {
    const firstMs = documents.reduce((least, { slotMs }) => Math.min(least, slotMs), days.firstMs)
    if (firstMs === days.firstMs) return
    await this.#coverage.reachBack(days, firstMs)
    this.#backfill.wake()
  }
}
