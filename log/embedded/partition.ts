import type { LogRecord } from '../log.ts'
import { decodeChunk } from './chunk.ts'
import { chunkRange, parseChunkKey, type ChunkKey } from './keys.ts'
import type { LevelDbStore } from './store.ts'

/** A chunk as written. */
export interface Chunk extends ChunkKey {
  readonly bytes: Buffer
}

/** How much one read gives at most; a single larger record is given alone. */
const readLimit = { records: 5_000, bytes: 8 << 20 } as const

const tailBytes = 512 << 10
/** Memory that a chunk takes beside its bytes: its objects, and the buffer's own. */
const chunkOverheadBytes = 400
const memoryOf = ({ bytes }: Chunk): number => bytes.buffer.byteLength + chunkOverheadBytes

/**
 * One partition: what of it can be read ([start, end)), its newest chunks in memory for readers at the tip, and those to be woken
 * when it grows.
 */
export class PartitionLog {
  readonly topic: string
  readonly topicId: number
  readonly partition: number
  readonly #store: LevelDbStore
  readonly #watchers = new Set<() => void>()
  readonly #tail: Chunk[] = []
  #tailBytes = 0
  #start: number
  #end: number

  private constructor(
    store: LevelDbStore,
    topic: string,
    topicId: number,
    partition: number,
    start: number,
    end: number,
  ) {
    this.#store = store
    this.topic = topic
    this.topicId = topicId
    this.partition = partition
    this.#start = start
    this.#end = end
  }

  /** Finds the end of the partition in the store. `start` is what retention has left. */
  static async open(
    store: LevelDbStore,
    topic: string,
    topicId: number,
    partition: number,
    start: number,
  ): Promise<PartitionLog> {
    for await (const key of store.keys(chunkRange(topicId, partition), { reverse: true, limit: 1 })) {
      const { first, count } = parseChunkKey(key)
      return new PartitionLog(store, topic, topicId, partition, start, first + count)
    }
    return new PartitionLog(store, topic, topicId, partition, start, start)
  }

  /** The first offset that can be read. */
  get start(): number {
    return this.#start
  }

  /** The next offset to be written. */
  get end(): number {
    return this.#end
  }

  /** Calls back whenever there is more to read; returns how to stop that. */
  watch(wake: () => void): () => void {
    this.#watchers.add(wake)
    return () => this.#watchers.delete(wake)
  }

  /** Makes chunks that are on disk visible to readers; they continue at `end`. */
  publish(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) {
      this.#tail.push(chunk)
      this.#tailBytes += memoryOf(chunk)
      this.#end = chunk.first + chunk.count
    }
    while (this.#tailBytes > tailBytes && this.#tail.length > 1) this.#dropOldest()
    for (const wake of this.#watchers) wake()
  }

  /** Retention has deleted everything before `start`. */
  trimmed(start: number): void {
    this.#start = start
    while (this.#tail[0] !== undefined && this.#tail[0].first < start) this.#dropOldest()
  }

  #dropOldest(): void {
    const oldest = this.#tail.shift()
    if (oldest !== undefined) this.#tailBytes -= memoryOf(oldest)
  }

  /** Records from `position` on, up to `readLimit`; none at the end. A position that is gone reads from the start. */
  read(position: number): Promise<readonly LogRecord[]> | readonly LogRecord[] {
    const from = Math.max(position, this.#start)
    if (from >= this.#end) return []
    const oldest = this.#tail[0]
    return oldest !== undefined && from >= oldest.first ? this.#readTail(from) : this.#readDisk(from)
  }

  #readTail(from: number): readonly LogRecord[] {
    const run = new Run(this, from)
    for (const chunk of this.#tail) {
      if (chunk.first + chunk.count <= from) continue
      if (!run.add(chunk)) break
    }
    return run.records
  }

  async #readDisk(from: number): Promise<readonly LogRecord[]> {
    const run = new Run(this, from)
    const range = chunkRange(this.topicId, this.partition, await this.#chunkStart(from), this.#end)
    for await (const [key, bytes] of this.#store.entries(range)) {
      if (!run.add({ ...parseChunkKey(key), bytes })) break
    }
    return run.records
  }

  /** The first offset of the chunk that holds an offset. */
  async #chunkStart(offset: number): Promise<number> {
    const upTo = chunkRange(this.topicId, this.partition, 0, offset + 1)
    for await (const key of this.#store.keys(upTo, { reverse: true, limit: 1 })) return parseChunkKey(key).first
    return offset
  }
}

/** The records of one read, gathered chunk by chunk until a limit is reached. */
class Run {
  readonly records: LogRecord[] = []
  readonly #log: PartitionLog
  readonly #from: number
  #bytes = 0

  constructor(log: PartitionLog, from: number) {
    this.#log = log
    this.#from = from
  }

  /** False when nothing more fits. */
  add({ first, timestampMs, bytes }: Chunk): boolean {
    if (this.records.length > 0 && this.#bytes + bytes.length > readLimit.bytes) return false
    const { topic, partition } = this.#log
    const origin = { topic, partition, first, timestampMs }
    const room = readLimit.records - this.records.length
    for (const record of decodeChunk(bytes, origin, this.#from, room)) this.records.push(record)
    this.#bytes += bytes.length
    return this.records.length < readLimit.records
  }
}
