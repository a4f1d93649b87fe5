import type { Change } from '../../schema/records/record-kinds.ts'
import type { DocumentStore } from '../../schema/document-store.ts'
import { stateSamplesPartition } from '../../schema/topics.ts'
import type { RecordHistory } from '../records/record-history.ts'
import type { Records } from '../records/records.ts'
import type { OwnedPartition } from './owned-partition.ts'
import { PastChanges, readChange, type RecordChange } from './record-changes.ts'

export interface RecordIntakeDeps {
  readonly records: Records
  readonly history: RecordHistory
  readonly store: Pick<DocumentStore, 'readRecordsOffsets' | 'promoteKey'>
  readonly owned: ReadonlyMap<number, OwnedPartition>
  /** Number of partitions of state samples. */
  readonly partitions: () => number
  /** Whether a partition is being taken over, which may need past changes. */
  readonly isAssigning: () => boolean
  /** Called when hours became dirty; `isBurst`: further changes are likely to follow. */
  readonly onDirty: (isBurst: boolean) => void
}

/** Interval at which the offsets that partitions have stored are read: changes before them are forgotten. */
const forgetEveryMs = 60_000
/** Changes of records within this time are processed together: an insert costs about as much for one document as for many. */
const burstMs = 250

/** Delivers changes of records to the owned partitions, and retains them for partitions that are taken over later. */
export class RecordIntake {
  readonly #deps: RecordIntakeDeps
  readonly past = new PastChanges()
  #forgotAtMs = -Infinity
  #changedAtMs = -Infinity
  #isBurst = false

  constructor(deps: RecordIntakeDeps) {
    this.#deps = deps
  }

  /** Delivers a change. Call it from an `onChange` listener of the records. */
  add(change: Change, offset: number): void {
    const read = readChange(change, offset, this.#deps.records, this.#deps.history)
    if (!read) return
    const nowMs = performance.now()
    this.#isBurst = nowMs - this.#changedAtMs < burstMs
    this.#changedAtMs = nowMs
    // A partition that is being taken over may have read the company before.
    this.past.add(read)
    for (const { changes } of this.#deps.owned.values()) changes.add([read])
  }

  /**
   * Adds the changes that a partition may lack which was taken over: its documents include those up to its stored offset,
   * its calendars those up to `readOffset`.
   */
  catchUp({ changes, storedRecordsOffset: stored }: OwnedPartition, readOffset: number): void {
    changes.add(this.past.after(Math.min(stored, readOffset)).map(change => asStored(change, stored)))
  }

  /** Stores past samples of keys that ingest of all partitions treats as keys of state samples now. */
  async promote(owned: OwnedPartition): Promise<void> {
    const { records, store } = this.#deps
    for (const promotion of owned.promotions.ready()) {
      const record = records.machineByRef(promotion.machineRef)
      const company = record && records.company(record.companyId)
      if (company) await store.promoteKey(company.ref, promotion.machineRef, promotion.key)
      await owned.partition.recordsChanged([{ machineRef: promotion.machineRef, fromMs: 0, toMs: null }])
      owned.promotions.done(promotion)
    }
  }

  /** Forgets the changes that no partition needs when it is taken over; reads the stored offsets once a minute unless `isNow`. */
  async forgetStored(isNow = false): Promise<void> {
    const { store, partitions, isAssigning } = this.#deps
    if (isAssigning() || (!isNow && performance.now() - this.#forgotAtMs < forgetEveryMs)) return
    this.#forgotAtMs = performance.now()
    const stored = await store.readRecordsOffsets()
    if (!isAssigning()) this.past.forgetStored(stored, partitions())
  }

  async apply(owned: OwnedPartition, change: RecordChange): Promise<void> {
    const { offset, affected, readAffected, promotions, companyRef } = change
    const { partitions, onDirty } = this.#deps
    const isOwned = ({ machineRef }: (typeof affected)[number] | (typeof promotions)[number]) =>
      stateSamplesPartition(machineRef, partitions()) === owned.number
    const all = readAffected ? [...affected, ...(await readAffected())] : affected
    await owned.partition.recordsChanged(all.filter(isOwned), companyRef)
    owned.promotions.add(promotions.filter(isOwned))
    owned.recordsOffset = Math.max(owned.recordsOffset, offset)
    onDirty(this.#isBurst)
  }
}

/** Leaves out of a change what documents with all changes up to `stored` include. */
function asStored(change: RecordChange, stored: number): RecordChange {
  return change.offset > stored ? change : { ...change, affected: [], readAffected: null, promotions: [] }
}
