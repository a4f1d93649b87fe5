import type { AlarmIdStore } from '../../schema/alarm-instance.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** Documents of a company from a version on that are still to be searched. */
export interface Scan {
  readonly partition: number
  readonly companyRef: CompanyRef
  readonly from: bigint
}

interface OfPartition {
  /** Highest version written by this process; null: none yet. */
  written: bigint | null
  stored: bigint | null
  /** Per company, from which version on there is something to look for. */
  readonly scans: Map<CompanyRef, bigint>
}

/** Time between two writes of the progress. After a crash, documents of this time are read once more. */
const storeEveryMs = 60_000

/**
 * Knows, for each owned partition, up to which version of its documents the alarms have ids. The version is stored, so that the
 * next owner goes on there.
 */
export class AlarmIdProgress {
  readonly #store: AlarmIdStore
  readonly #partitions = new Map<number, OfPartition>()
  #storedAtMs = -Infinity

  constructor(store: AlarmIdStore) {
    this.#store = store
  }

  async takeOver(partition: number, companies: readonly CompanyRef[]): Promise<void> {
    const stored = await this.#store.readProgress(partition)
    const scans = new Map(companies.map(companyRef => [companyRef, stored ?? 0n]))
    this.#partitions.set(partition, { written: null, stored, scans })
  }

  release(partition: number): void {
    this.#partitions.delete(partition)
  }

  written(partition: number, version: bigint): void {
    const of = this.#partitions.get(partition)
    if (of && (of.written === null || version > of.written)) of.written = version
  }

  /** A document from this version on was skipped. */
  scanFrom(partition: number, companyRef: CompanyRef, version: bigint): void {
    const scans = this.#partitions.get(partition)?.scans
    if (scans && version < (scans.get(companyRef) ?? version + 1n)) scans.set(companyRef, version)
  }

  nextScan(): Scan | null {
    for (const [partition, { scans }] of this.#partitions)
      for (const [companyRef, from] of scans) return { partition, companyRef, from }
    return null
  }

  scansOf(partition: number): number {
    return this.#partitions.get(partition)?.scans.size ?? 0
  }

  /** A scan goes on at `next`, or is done (null), unless it was set back meanwhile. */
  scanned({ partition, companyRef, from }: Scan, next: bigint | null): void {
    const scans = this.#partitions.get(partition)?.scans
    if (scans?.get(companyRef) !== from) return
    if (next === null) scans.delete(companyRef)
    else scans.set(companyRef, next)
  }

  /** Stores what has changed; `firstPending` is the version of the first document with something that has no id yet. */
  async store(firstPending: (partition: number) => bigint | null): Promise<void> {
    if (performance.now() - this.#storedAtMs < storeEveryMs) return
    const news = new Map<number, bigint>()
    for (const [partition, { written, stored, scans }] of this.#partitions) {
      if (written === null || scans.size > 0) continue
      const upTo = firstPending(partition) ?? written + 1n
      if (stored === null || upTo > stored) news.set(partition, upTo)
    }
    if (news.size === 0) return
    this.#storedAtMs = performance.now()
    await this.#store.writeProgress(news)
    for (const [partition, version] of news) {
      const of = this.#partitions.get(partition)
      if (of) of.stored = version
    }
  }
}
