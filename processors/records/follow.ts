import { setImmediate } from 'node:timers/promises'
import type { Batch, Follower, Log } from '../../log/log.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'
import { topics } from '../../schema/topics.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { ReachedOffset } from '../../shared/async/reached-offset.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { EntryReader } from './entry-codec.ts'
import type { Records } from './records.ts'

/**
 * Applies the entries of records.v1 (one partition) that the records do not contain yet, and continues with new ones.
 * Rejects with `OffsetOutOfRange` if the log has deleted some of them.
 * Resolves when all entries that exist at the call have been applied. Later entries are applied when the store contains them, so that a listener of a
 * change finds it in the store. `projected`: the `commandOffset` up to which the store contains all entries; by default
 * the last mark in the log.
 */
export async function followRecords(log: Log, records: Records, projected = new ReachedOffset()): Promise<Follower> {
  const entries = new EntriesInStore(records, projected)
  const follower = await log.follow({
    topic: topics.records,
    from: [records.offset + 1],
    onBatch: batch => entries.add(batch),
  })
  try {
    await follower.caughtUp
    entries.isCaughtUp = true
  } catch (error) {
    await follower.stop()
    throw error
  }
  return follower
}

/** Applies the entries of batches to records, new ones when the store contains them. */
class EntriesInStore {
  /** Whether the entries that existed at the start are applied, which do not wait for the store. */
  isCaughtUp = false
  readonly #records: Records
  readonly #projected: ReachedOffset
  readonly #reader = new EntryReader()
  readonly #serial = createSerial()
  readonly #waiting: { readonly entry: RecordEntry; readonly offset: number }[] = []

  constructor(records: Records, projected: ReachedOffset) {
    this.#records = records
    this.#projected = projected
  }

  async add(batch: Batch): Promise<void> {
    for (const { value, offset } of batch.records) {
      const entry = this.#reader.read(value)
      this.#projected.reach(this.#reader.projectedOffset)
      if (entry) this.#waiting.push({ entry, offset })
      // `#apply` rejects only because of a bug, for example in a listener.
      if (entry && this.isCaughtUp)
        crashOnRejection(this.#projected.waitFor(entry.commandOffset).then(() => this.#apply()))
      else await this.#apply()
      // An entry may have a hundred large chunks, so this yields to the event loop between them.
      if (!entry) await setImmediate()
    }
  }

  #apply(): Promise<void> {
    return this.#serial(async () => {
      for (let [next] = this.#waiting; next; [next] = this.#waiting) {
        if (this.isCaughtUp && next.entry.commandOffset > this.#projected.value) return
        this.#waiting.shift()
        await this.#records.applyCooperatively(next.entry, next.offset)
      }
    })
  }
}
