import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { LogUnavailable, type NewRecord, type Position } from '../log.ts'
import { encodeChunk, encodedBytes } from './chunk.ts'
import { chunkKeyWithCrc } from './keys.ts'
import { endsWrite } from './partition-ends.ts'
import type { PartitionLog } from './partition.ts'
import type { Chunk } from './read-chunks.ts'
import type { LevelDbStore, Write } from './store.ts'

/** Writes that are stored atomically. */
export interface Job {
  readonly records?: readonly { readonly log: PartitionLog; readonly record: NewRecord }[]
  /** Further writes of the same batch, with their undo. */
  readonly writes?: readonly Write[]
  readonly undo?: readonly Write[]
  /** Whether the writes must be flushed to disk before the call resolves. */
  readonly sync: boolean
  /** Whether no other job precedes this one in its batch, so that `check` sees all earlier records as published. */
  readonly isFirst?: boolean
  /** Called immediately before the write; an error rejects the job, and nothing is written. */
  readonly check?: () => void
  /** Called after the write, before later jobs are written. */
  readonly written?: () => void
}

interface Waiting extends Job {
  readonly bytes: number
  readonly resolve: (positions: readonly Position[]) => void
  readonly reject: (error: unknown) => void
}

const batchLimit = { records: 20_000, bytes: 16 << 20 } as const
const chunkLimit = { records: 5_000, bytes: 1 << 20 } as const
/** Limit of waiting records in memory; beyond it, the disk is too slow. */
const waitingLimitBytes = 256 << 20
/** Memory of a waiting record in addition to its bytes: its objects and its promise. */
const recordOverheadBytes = 300

/**
 * Writes all records. Jobs that arrive during a write share the next batch and its fsync. Assigns offsets here, when
 * the jobs of the batch are final, so a failed batch leaves no gap.
 */
export class Writer {
  readonly #store: LevelDbStore
  readonly #partitions: () => Iterable<PartitionLog>
  readonly #now: () => number
  /** The ends of the last write. */
  #ends: Write | undefined
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #busy = false
  #running: Promise<void> = Promise.resolve()
  #closed = false

  /** `partitions` returns the partitions whose ends each batch contains. */
  constructor(store: LevelDbStore, partitions: () => Iterable<PartitionLog>, now: () => number) {
    this.#store = store
    this.#partitions = partitions
    this.#now = now
  }

  /**
   * Resolves with the positions of the records when the job is written; rejects with `LogUnavailable` or the error of
   * `check`.
   */
  submit(job: Job): Promise<readonly Position[]> {
    const bytes = (job.records ?? []).reduce((sum, { record }) => sum + encodedBytes(record) + recordOverheadBytes, 0)
    if (this.#closed) return Promise.reject(new LogUnavailable('The log is closed'))
    if (this.#waitingBytes + bytes > waitingLimitBytes && this.#waitingBytes > 0) {
      return Promise.reject(new LogUnavailable('The disk is too slow for the appended data'))
    }
    this.#waitingBytes += bytes
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...job, bytes, resolve, reject })
      if (!this.#busy) this.#running = this.#run()
    })
  }

  /** Resolves if a write after those in progress succeeds. */
  async probe(): Promise<void> {
    await this.submit({ sync: true })
  }

  /** Rejects new jobs; resolves when all submitted ones are done. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running
  }

  async #run(): Promise<void> {
    this.#busy = true
    // Lets all calls of the same microtask queue join the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#writeBatch(this.#nextJobs())
    // Synchronous with the last check for waiting jobs, so that no job is left behind.
    this.#busy = false
  }

  /** Removes waiting jobs up to the limits of a batch, at least one. */
  #nextJobs(): readonly Waiting[] {
    let records = 0
    let bytes = 0
    let count = 0
    for (const job of this.#waiting) {
      records += job.records?.length ?? 0
      bytes += job.bytes
      if (count > 0 && (job.isFirst === true || records > batchLimit.records || bytes > batchLimit.bytes)) break
      count++
    }
    const jobs = this.#waiting.splice(0, count)
    this.#waitingBytes -= jobs.reduce((sum, job) => sum + job.bytes, 0)
    return jobs.filter(passesCheck)
  }

  async #writeBatch(jobs: readonly Waiting[]): Promise<void> {
    if (jobs.length === 0) return
    const appends = new Appends()
    const positions = jobs.map(({ records = [] }) => records.map(({ log, record }) => appends.add(log, record)))
    const chunks = await runCooperatively(appends.chunks(this.#now()))
    const writes = [...chunks.flatMap(writesOf), ...jobs.flatMap(job => job.writes ?? [])]
    const undo = [...chunks.flatMap(undoOf), ...jobs.flatMap(job => job.undo ?? [])]
    const ends = endsWrite(this.#partitions(), endsOf(chunks))
    if (writes.length > 0) {
      // First in the batch, where the reader of the journal looks for it.
      writes.unshift(ends)
      undo.unshift(this.#ends ?? endsWrite(this.#partitions()))
    }
    try {
      if (writes.length === 0) await this.#store.recover()
      else
        await this.#store.write(
          writes,
          undo,
          jobs.some(job => job.sync),
        )
    } catch (error) {
      for (const job of jobs) job.reject(error)
      return
    }
    if (writes.length > 0) this.#ends = ends
    for (const { log, chunks: written } of chunks) log.publish(written)
    for (const [index, job] of jobs.entries()) {
      job.written?.()
      job.resolve(positions[index] ?? [])
    }
  }
}

function passesCheck(job: Waiting): boolean {
  try {
    job.check?.()
    return true
  } catch (error) {
    job.reject(error)
    return false
  }
}

interface PartitionChunks {
  readonly log: PartitionLog
  readonly chunks: readonly Chunk[]
}

function writesOf({ log, chunks }: PartitionChunks): Write[] {
  return chunks.map(chunk => ({ key: chunkKeyWithCrc(log.topicId, log.partition, chunk), value: chunk.bytes }))
}

function undoOf({ log, chunks }: PartitionChunks): Write[] {
  return chunks.map(chunk => ({ key: chunkKeyWithCrc(log.topicId, log.partition, chunk), value: null }))
}

function endsOf(written: readonly PartitionChunks[]): ReadonlyMap<PartitionLog, number> {
  const ends = new Map<PartitionLog, number>()
  for (const { log, chunks } of written) for (const { first, count } of chunks) ends.set(log, first + count)
  return ends
}

/** Assigns offsets and groups the records of a batch by partition. */
class Appends {
  readonly #runs = new Map<PartitionLog, NewRecord[]>()

  add(log: PartitionLog, record: NewRecord): Position {
    let run = this.#runs.get(log)
    if (run === undefined) this.#runs.set(log, (run = []))
    run.push(record)
    return { partition: log.partition, offset: log.end + run.length - 1 }
  }

  *chunks(timestampMs: number): Steps<readonly PartitionChunks[]> {
    const all: PartitionChunks[] = []
    for (const [log, records] of this.#runs)
      all.push({ log, chunks: yield* splitIntoChunks(records, log.end, timestampMs) })
    return all
  }
}

function* splitIntoChunks(
  records: readonly NewRecord[],
  firstOffset: number,
  timestampMs: number,
): Steps<readonly Chunk[]> {
  const chunks: Chunk[] = []
  let from = 0
  let bytes = 0
  const close = (to: number): void => {
    const part = records.slice(from, to)
    if (part.length > 0)
      chunks.push({ first: firstOffset + from, count: part.length, timestampMs, bytes: encodeChunk(part) })
    from = to
    bytes = 0
  }
  for (const [index, record] of records.entries()) {
    const size = encodedBytes(record)
    if (index - from >= chunkLimit.records || bytes + size > chunkLimit.bytes) {
      close(index)
      yield
    }
    bytes += size
  }
  close(records.length)
  return chunks
}
