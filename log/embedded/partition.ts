import { pause } from '../../shared/async/waiting.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import type { LogRecord } from '../log.ts'
import { decodeChunk } from './chunk.ts'
import { lastIntact, readChunks, type Chunk, type ChunkSource, type Gap } from './read-chunks.ts'
import type { LevelDbStore } from './store.ts'

/** Limits of one read; a larger record is read separately. */
const readLimit = { records: 5_000, bytes: 8 << 20 } as const

export interface PartitionOptions {
  readonly topic: string
  readonly topicId: number
  readonly partition: number
  /** First offset within retention. */
  readonly start: number
  /** Records up to this offset were acknowledged. */
  readonly knownEnd: number
  readonly onGap: (log: PartitionLog, gap: Gap) => void
}

const tailBytes = 512 << 10
/** Pause after each 10 ms of a verification, which reads a large log during the start. */
const verifyPauseMs = 20
/** Memory of a chunk in addition to its bytes: its objects, and the buffer's own. */
const chunkOverheadBytes = 400
const memoryOf = ({ bytes }: Chunk): number => bytes.buffer.byteLength + chunkOverheadBytes

/**
 * A partition: the readable range [start, end), its newest chunks in memory for readers at the end, and the callbacks
 * of waiting readers.
 */
export class PartitionLog {
  readonly topic: string
  readonly topicId: number
  readonly partition: number
  readonly #store: LevelDbStore
  readonly #onGap: (log: PartitionLog, gap: Gap) => void
  readonly #gaps = new Map<number, Gap>()
  readonly #watchers = new Set<() => void>()
  readonly #tail: Chunk[] = []
  #tailBytes = 0
  #start: number
  #end: number

  private constructor(store: LevelDbStore, { topic, topicId, partition, start, onGap }: PartitionOptions, end: number) {
    this.#store = store
    this.topic = topic
    this.topicId = topicId
    this.partition = partition
    this.#start = start
    this.#end = end
    this.#onGap = onGap
  }

  /** Finds the end of the partition in the store, and reports missing records before `knownEnd`. */
  static async open(store: LevelDbStore, options: PartitionOptions): Promise<PartitionLog> {
    const { topicId, partition, start, knownEnd } = options
    const last = await lastIntact({ store, topicId, partition }, start)
    const end = last === null ? start : last.first + last.count
    const log = new PartitionLog(store, options, Math.max(end, knownEnd))
    if (end < knownEnd) {
      log.#reportGap({ from: end, to: knownEnd, afterMs: last?.timestampMs ?? null, beforeMs: null })
    }
    return log
  }

  /** Reads all chunks from disk and reports missing records. */
  async verify(isStopped: () => boolean): Promise<void> {
    const slice = new TimeSlice()
    for await (const _ of this.#chunks(this.#start)) {
      if (isStopped()) return
      if (!slice.isOver) continue
      await pause(verifyPauseMs)
      await slice.next()
    }
  }

  /** Returns the first offset from `position` on that is not lost. */
  firstReadable(position: number): number {
    for (const { from, to } of this.#gaps.values()) {
      if (from <= position && position < to) return this.firstReadable(to)
    }
    return position
  }

  /** First readable offset. */
  get start(): number {
    return this.#start
  }

  /** Next offset to write. */
  get end(): number {
    return this.#end
  }

  /** Adds a callback for new records; returns a function that removes it. */
  watch(wake: () => void): () => void {
    this.#watchers.add(wake)
    return () => this.#watchers.delete(wake)
  }

  /** Makes stored chunks visible to readers, and moves `end` behind them. */
  publish(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) {
      this.#tail.push(chunk)
      this.#tailBytes += memoryOf(chunk)
      this.#end = chunk.first + chunk.count
    }
    while (this.#tailBytes > tailBytes && this.#tail.length > 1) this.#dropOldest()
    for (const wake of this.#watchers) wake()
  }

  /** Moves the start of the partition: retention is about to delete everything before it. */
  trimmed(start: number): void {
    this.#start = start
    while (this.#tail[0] !== undefined && this.#tail[0].first < start) this.#dropOldest()
  }

  #dropOldest(): void {
    const oldest = this.#tail.shift()
    if (oldest !== undefined) this.#tailBytes -= memoryOf(oldest)
  }

  /** Reads records from `position` on, up to `readLimit`; empty at the end. A deleted position reads from the start. */
  read(position: number): Promise<readonly LogRecord[]> | readonly LogRecord[] {
    const from = this.firstReadable(Math.max(position, this.#start))
    return from >= this.#end ? [] : (this.readCached(from) ?? this.#readDisk(from))
  }

  /** Returns the records from an offset on, up to `readLimit`, if memory contains them; otherwise null. */
  readCached(from: number): readonly LogRecord[] | null {
    const oldest = this.#tail[0]
    if (oldest === undefined || from < oldest.first) return null
    const run = new Run(this, from)
    for (const chunk of this.#tail) {
      if (chunk.first + chunk.count <= from) continue
      if (!run.add(chunk)) break
    }
    return run.records
  }

  async #readDisk(from: number): Promise<readonly LogRecord[]> {
    const run = new Run(this, from)
    const holding = await lastIntact(this.#source, this.#start, from + 1)
    for await (const chunk of this.#chunks(holding?.first ?? this.#start)) {
      if (!run.add(chunk)) break
    }
    return run.records
  }

  #chunks(from: number): AsyncGenerator<Chunk> {
    return readChunks(this.#source, from, this.#end, gap => this.#reportGap(gap))
  }

  get #source(): ChunkSource {
    return { store: this.#store, topicId: this.topicId, partition: this.partition }
  }

  /** Makes readers skip the gap. Records that retention has deleted meanwhile are not lost. */
  #reportGap(gap: Gap): void {
    const from = Math.max(gap.from, this.#start)
    if (from >= gap.to) return
    this.#gaps.set(from, { ...gap, from })
    this.#onGap(this, { ...gap, from })
  }
}

/** Collects the records of one read, chunk by chunk, up to a limit. */
class Run {
  readonly records: LogRecord[] = []
  readonly #log: PartitionLog
  readonly #from: number
  #bytes = 0

  constructor(log: PartitionLog, from: number) {
    this.#log = log
    this.#from = from
  }

  /** Returns false when the limit is reached. */
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
