import { inSlices, type Steps } from '../../shared/async/steps.ts'
import { LogUnavailable, type NewRecord, type Position } from '../log.ts'
import { encodeChunk, encodedBytes } from './chunk.ts'
import { sealedChunkKey } from './keys.ts'
import { endsWrite } from './partition-ends.ts'
import type { PartitionLog } from './partition.ts'
import type { Chunk } from './read-chunks.ts'
import type { LevelDbStore, Write } from './store.ts'

/** Writes that belong together: all of them are written, or none. */
export interface Job {
  readonly records?: readonly { readonly log: PartitionLog; readonly record: NewRecord }[]
  /** Other writes of the same batch, with what undoes them. */
  readonly writes?: readonly Write[]
  readonly undo?: readonly Write[]
  /** Must it be on disk before the answer? */
  readonly sync: boolean
  /** Called just before writing; what it throws is the answer, and nothing is written. */
  readonly check?: () => void
  /** Called once written, before anything later is. */
  readonly written?: () => void
}

interface Waiting extends Job {
  readonly bytes: number
  readonly resolve: (positions: readonly Position[]) => void
  readonly reject: (error: unknown) => void
}

const batchLimit = { records: 20_000, bytes: 16 << 20 } as const
const chunkLimit = { records: 5_000, bytes: 1 << 20 } as const
/** More memory than this in waiting records means that the disk can't keep up. */
const waitingLimitBytes = 256 << 20
/** Memory of a waiting record beside its bytes: its objects and its promise. */
const recordOverheadBytes = 300

/**
 * The only one who writes records: jobs that arrive while a batch is being written share the next one, and so its fsync. Offsets
 * are given out here, once it is certain which jobs are in the batch; a batch that fails leaves no gap.
 */
export class Writer {
  readonly #store: LevelDbStore
  readonly #partitions: () => Iterable<PartitionLog>
  readonly #now: () => number
  /** The ends as written last. */
  #ends: Write | undefined
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #busy = false
  #running: Promise<void> = Promise.resolve()
  #closed = false

  /** `partitions` are those whose ends each batch contains. */
  constructor(store: LevelDbStore, partitions: () => Iterable<PartitionLog>, now: () => number) {
    this.#store = store
    this.#partitions = partitions
    this.#now = now
  }

  /** Resolves with the records' positions once all of the job is written; rejects with `LogUnavailable` or what `check` threw. */
  submit(job: Job): Promise<readonly Position[]> {
    const bytes = (job.records ?? []).reduce((sum, { record }) => sum + encodedBytes(record) + recordOverheadBytes, 0)
    if (this.#closed) return Promise.reject(new LogUnavailable('The log is closed'))
    if (this.#waitingBytes + bytes > waitingLimitBytes && this.#waitingBytes > 0) {
      return Promise.reject(new LogUnavailable('The disk does not keep up with what is appended'))
    }
    this.#waitingBytes += bytes
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...job, bytes, resolve, reject })
      if (!this.#busy) this.#running = this.#run()
    })
  }

  /** Tells whether writing works, in turn with the writes. */
  async probe(): Promise<void> {
    await this.submit({ sync: true })
  }

  /** Takes nothing more; resolves when everything submitted has been answered. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running
  }

  async #run(): Promise<void> {
    this.#busy = true
    // Lets what was called in the same turn join the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#writeBatch(this.#nextJobs())
    // In the same turn as the last look at what waits, so that nothing submitted is left lying.
    this.#busy = false
  }

  /** Takes jobs up to a batch's limits, at least one. */
  #nextJobs(): readonly Waiting[] {
    let records = 0
    let bytes = 0
    let count = 0
    for (const job of this.#waiting) {
      records += job.records?.length ?? 0
      bytes += job.bytes
      if (count > 0 && (records > batchLimit.records || bytes > batchLimit.bytes)) break
      count++
    }
    const jobs = this.#waiting.splice(0, count)
    this.#waitingBytes -= jobs.reduce((sum, job) => sum + job.bytes, 0)
    return jobs.filter(passes)
  }

  async #writeBatch(jobs: readonly Waiting[]): Promise<void> {
    if (jobs.length === 0) return
    const appends = new Appends()
    const positions = jobs.map(({ records = [] }) => records.map(({ log, record }) => appends.add(log, record)))
    const chunks = await inSlices(appends.chunks(this.#now()))
    const writes = [...chunks.flatMap(writesOf), ...jobs.flatMap(job => job.writes ?? [])]
    const undo = [...chunks.flatMap(undoOf), ...jobs.flatMap(job => job.undo ?? [])]
    const ends = endsWrite(this.#partitions(), endsOf(chunks))
    if (writes.length > 0) {
      // The first write of a batch: a reader of the journal finds it there.
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

function passes(job: Waiting): boolean {
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
  return chunks.map(chunk => ({ key: sealedChunkKey(log.topicId, log.partition, chunk), value: chunk.bytes }))
}

function undoOf({ log, chunks }: PartitionChunks): Write[] {
  return chunks.map(chunk => ({ key: sealedChunkKey(log.topicId, log.partition, chunk), value: null }))
}

function endsOf(written: readonly PartitionChunks[]): ReadonlyMap<PartitionLog, number> {
  const ends = new Map<PartitionLog, number>()
  for (const { log, chunks } of written) for (const { first, count } of chunks) ends.set(log, first + count)
  return ends
}

/** Gives out offsets and gathers the records of a batch by partition. */
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
    for (const [log, records] of this.#runs) all.push({ log, chunks: yield* cut(records, log.end, timestampMs) })
    return all
  }
}

function* cut(records: readonly NewRecord[], firstOffset: number, timestampMs: number): Steps<readonly Chunk[]> {
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
