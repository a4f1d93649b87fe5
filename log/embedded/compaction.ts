import type { LogRecord } from '../log.ts'
import { decodeChunk } from './chunk.ts'
import { chunkRange, parseChunkKey } from './keys.ts'
import type { PartitionLog } from './partition.ts'
import { isIntact } from './read-chunks.ts'
import { deleteChunks, type Expired } from './retention.ts'
import type { LevelDbStore } from './store.ts'
import type { Writer } from './writer.ts'

/** Bytes of a partition up to which it is not compacted, in addition to twice the bytes of its newest records. */
const minBytes = 16 << 20
/** Bytes of old chunks that one write replaces: bounds its memory and the delay of other writes. */
const stepBytes = 4 << 20

/** A record was appended for a key whose previous record was about to be appended again. */
class Overwritten extends Error {}

/**
 * Deletes records for whose key a newer record exists: appends the newest records of the oldest chunks again, and then
 * deletes these chunks. A crash in between leaves both, in this order.
 */
export class Compaction {
  readonly #store: LevelDbStore
  readonly #writer: Writer
  /** Bytes from which a partition is compacted again. */
  readonly #limits = new WeakMap<PartitionLog, number>()

  constructor(store: LevelDbStore, writer: Writer) {
    this.#store = store
    this.#writer = writer
  }

  /** Compacts a partition if it is large. The end of the partition moves by the records that are appended again. */
  async compact(log: PartitionLog): Promise<void> {
    const { topicId, partition, start: oldStart, end } = log
    const bytes = await this.#store.approximateBytes(chunkRange(topicId, partition))
    if (bytes <= (this.#limits.get(log) ?? minBytes)) return
    const newest = new NewestRecords(log)
    while (log.start < end && (await this.#replaceOldest(log, newest, end)));
    this.#limits.set(log, minBytes + 2 * newest.bytes)
    if (log.start > oldStart) await this.#store.compact(chunkRange(topicId, partition, 0, log.start))
  }

  /** Replaces the oldest chunks before an offset; returns false if there are none, or a record was overwritten. */
  async #replaceOldest(log: PartitionLog, newest: NewestRecords, before: number): Promise<boolean> {
    const { records, ...expired } = await this.#oldest(log, before)
    if (expired.keys.length === 0) return false
    const end = await newest.readToEnd()
    const live = records.filter(record => newest.has(record))
    if (live.length > 0 && !(await this.#appendAgain(log, live, end))) return false
    await deleteChunks(log, this.#writer, expired)
    return true
  }

  async #appendAgain(log: PartitionLog, live: readonly LogRecord[], end: number): Promise<boolean> {
    const keys = new Set(live.map(({ key }) => key))
    const check = (): void => {
      if (log.end === end) return
      const newer = log.readCached(end)
      if (newer?.at(-1)?.offset !== log.end - 1 || newer.some(({ key }) => keys.has(key))) throw new Overwritten()
    }
    try {
      const records = live.map(record => ({ log, record }))
      await this.#writer.submit({ records, sync: true, isFirst: true, check })
      return true
    } catch (error) {
      if (error instanceof Overwritten) return false
      throw error
    }
  }

  async #oldest(log: PartitionLog, before: number): Promise<Expired & { readonly records: readonly LogRecord[] }> {
    const { topic, topicId, partition } = log
    const keys: Buffer[] = []
    const records: LogRecord[] = []
    let next = log.start
    let size = 0
    for await (const [key, bytes] of this.#store.entries(chunkRange(topicId, partition, 0, before))) {
      if (size >= stepBytes) break
      size += bytes.length
      keys.push(key)
      if (!isIntact(key, bytes)) continue
      const { first, count, timestampMs } = parseChunkKey(key)
      records.push(...decodeChunk(bytes, { topic, partition, first, timestampMs }, first, count))
      next = Math.max(next, first + count)
    }
    return { keys, next, records }
  }
}

/** The newest record of each key of a partition; a record without a value deletes its key. */
class NewestRecords {
  readonly #log: PartitionLog
  readonly #byKey = new Map<string | null, { readonly offset: number; readonly bytes: number }>()
  #next: number

  constructor(log: PartitionLog) {
    this.#log = log
    this.#next = log.start
  }

  /** Bytes of all newest records. */
  get bytes(): number {
    return [...this.#byKey.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  has({ key, offset }: LogRecord): boolean {
    return this.#byKey.get(key)?.offset === offset
  }

  /** Reads the records that were appended since the last call; returns the end of the partition to which it has read. */
  async readToEnd(): Promise<number> {
    for (;;) {
      const { end } = this.#log
      if (this.#next >= end) return end
      const records = await this.#log.read(this.#next)
      for (const { key, offset, value } of records) {
        if (value.length === 0) this.#byKey.delete(key)
        else this.#byKey.set(key, { offset, bytes: value.length + (key?.length ?? 0) })
      }
      // Without records, those up to the end are lost.
      this.#next = (records.at(-1)?.offset ?? end - 1) + 1
    }
  }
}
