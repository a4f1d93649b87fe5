import type { AlarmIdStore } from '../../schema/alarm-instance.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** Documents of a company from a version on whose alarm instances must be searched for instances without an id. */
export interface Scan {
  readonly partition: number
  readonly companyRef: CompanyRef
  readonly from: bigint
}

interface PartitionProgress {
  /** Highest version that this process has written; null if it has written none. */
  written: bigint | null
  stored: bigint | null
  /** Version from which documents must be searched, by company. */
  readonly scans: Map<CompanyRef, bigint>
}

/** Interval between writes of the progress, ms. After a crash, documents of this time are searched again. */
const storeEveryMs = 60_000

/**
 * Progress of each owned partition: the version up to which all alarms of its documents have ids. It is stored, so that
 * the next owner of the partition continues from there.
 */
export class AlarmIdProgress {
  readonly #store: AlarmIdStore
  readonly #partitions = new Map<number, PartitionProgress>()
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

  /**
   * Records that documents from this version on must be searched, because there was no memory for an instance of one.
   */
  rewindScan(partition: number, companyRef: CompanyRef, version: bigint): void {
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

  /**
   * Records that a scan must continue at `next`, or is complete (null), unless `rewindScan` has moved it back meanwhile.
   */
  advanceScan({ partition, companyRef, from }: Scan, next: bigint | null): void {
    const scans = this.#partitions.get(partition)?.scans
    if (scans?.get(companyRef) !== from) return
    if (next === null) scans.delete(companyRef)
    else scans.set(companyRef, next)
  }

  /**
   * Stores the changed progress, at most once per `storeEveryMs`. `firstPending` returns the lowest version of a
   * document with an instance that still lacks an id.
   */
  async store(firstPending: (partition: number) => bigint | null): Promise<void> {
    if (performance.now() - this.#storedAtMs < storeEveryMs) return
    const changed = new Map<number, bigint>()
    for (const [partition, { written, stored, scans }] of this.#partitions) {
      if (written === null || scans.size > 0) continue
      const upTo = firstPending(partition) ?? written + 1n
      if (stored === null || upTo > stored) changed.set(partition, upTo)
    }
    if (changed.size === 0) return
    this.#storedAtMs = performance.now()
    await this.#store.writeProgress(changed)
    for (const [partition, version] of changed) {
      const of = this.#partitions.get(partition)
      if (of) of.stored = version
    }
  }
}
