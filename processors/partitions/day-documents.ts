import type { VersionedDocument } from '../../schema/document-store.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { CompanyDays } from './company-days.ts'
import { DayBackfill } from './day-backfill.ts'
import { type DayDeps, PartitionCoverage } from './partition-coverage.ts'
import { DayInvalidation } from './day-invalidation.ts'
import type { DayTask } from './day-task.ts'

/**
 * Maintains the day documents of a partition's machines, and the rows that state where readers may use them. Invariant:
 * a valid day equals its stored hours. So hours of a covered day are rewritten after a stale mark is stored, and the
 * mark is removed after the day is rebuilt. When memory and store may differ, the day is marked. Everything except
 * `DayStore.buildDays` runs between the partition's other tasks, never beside them.
 */
export class DayDocuments {
  readonly coverage: PartitionCoverage
  readonly #clock: () => number
  readonly #invalidation: DayInvalidation
  readonly #backfill: DayBackfill

  constructor(deps: DayDeps) {
    this.#clock = deps.clock
    this.coverage = new PartitionCoverage(deps)
    this.#backfill = new DayBackfill(deps, this.coverage)
    this.#invalidation = new DayInvalidation(deps, this.coverage, this.#backfill)
  }

  /** Days of machines that reports read from hours until they are rebuilt. */
  get staleDays(): number {
    return this.coverage.companies.reduce((sum, { staleMarks }) => sum + staleMarks, 0)
  }

  /** Reads the stored days of the companies when their machines are known. */
  async takeOver(companies: readonly CompanyRef[]): Promise<void> {
    for (const companyRef of companies) this.coverage.recheck(companyRef)
    await this.#read()
  }

  /** Stores stale marks and coverage that must precede these documents. */
  async beforeWrite(documents: readonly VersionedDocument[]): Promise<void> {
    for (const { companyRef } of documents) if (!this.coverage.of(companyRef)) this.coverage.recheck(companyRef)
    await this.#read()
    for (const [days, ofCompany] of this.#byCompany(documents)) {
      await this.#reachBack(days, ofCompany)
      await this.#invalidation.invalidate(days, ofCompany)
    }
  }

  /** The next statement: stale days first, then the newest missing days; null: none. */
  async pick(): Promise<DayTask | null> {
    await this.#read()
    const nowMs = this.#clock()
    for (const days of this.coverage.companies) {
      const task = this.#invalidation.pick(days, nowMs)
      if (task) return task
    }
    return this.#backfill.pick(nowMs)
  }

  /** Updates coverage and marks when the task's documents are stored, after this duration. */
  async complete(task: DayTask, tookMs: number): Promise<void> {
    if (this.coverage.of(task.companyRef) !== task.of) return
    await this.#backfill.complete(task, tookMs)
    await this.#invalidation.clear(task)
  }

  async #read(): Promise<void> {
    const begun = await this.coverage.read()
    if (begun.length === 0) return
    this.#backfill.leave(begun)
    this.#backfill.wake()
  }

  /** The documents that change coverage or marks, by company. */
  #byCompany(documents: readonly VersionedDocument[]): ReadonlyMap<CompanyDays, readonly VersionedDocument[]> {
    const found = new Map<CompanyDays, VersionedDocument[]>()
    for (const document of documents) {
      const days = this.coverage.of(document.companyRef)
      if (!days) continue
      const { slotMs } = document
      if (slotMs >= days.firstMs && !days.markedOnWrite.overlaps(slotMs, slotMs + hourMs)) continue
      getOrCreate(found, days, () => []).push(document)
    }
    return found
  }

  /** Lowers the first hour of the company: the days before it are not checked yet. */
  async #reachBack(days: CompanyDays, documents: readonly VersionedDocument[]): Promise<void> {
    const firstMs = documents.reduce((firstMs, { slotMs }) => Math.min(firstMs, slotMs), days.firstMs)
    if (firstMs === days.firstMs) return
    await this.coverage.reachBack(days, firstMs)
    this.#backfill.wake()
  }
}
