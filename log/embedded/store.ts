import { ClassicLevel, type IteratorOptions } from 'classic-level'
import { WorkSlice } from '../../shared/async/work-slice.ts'
import { LogUnavailable } from '../log.ts'
import type { KeyRange } from './keys.ts'

/** A write of the store: a value, or null to delete. */
export interface Write {
  readonly key: Buffer
  readonly value: Buffer | null
}

type Db = ClassicLevel<Buffer, Buffer>

const reopenEveryMs = 100
const readAheadBytes = 1 << 20

/**
 * LevelDB with a way back: after a failed write LevelDB refuses all others until it is opened anew (the tail of its journal may
 * be torn), so the next write does that, and first takes back what the failed one may have left behind.
 */
export class LevelDbStore {
  readonly #path: string
  #db: Db
  readonly #onDamagedFile: (message: string) => void
  #takeBack: readonly Write[] | undefined
  #lastReopenMs = 0

  private constructor(path: string, db: Db, onDamagedFile: (message: string) => void) {
    this.#path = path
    this.#db = db
    this.#onDamagedFile = onDamagedFile
  }

  /**
   * Opens or creates the directory; rejects with `LogUnavailable` when it is locked by another process or can't be written. Reads skip
   * what LevelDB cannot read; each time, `onDamagedFile` gets LevelDB's message.
   */
  static async open(path: string, onDamagedFile: (message: string) => void): Promise<LevelDbStore> {
    return new LevelDbStore(path, await openDb(path), onDamagedFile)
  }

  /**
   * Writes all or nothing, on disk when it resolves if `sync`. `undo` restores the state before. One call at a time. Rejects with
   * `LogUnavailable` when there is no room or the disk fails.
   */
  async write(writes: readonly Write[], undo: readonly Write[], sync: boolean): Promise<void> {
    if (this.#takeBack !== undefined) await this.#reopen(this.#takeBack)
    try {
      await apply(this.#db, writes, sync)
    } catch (cause) {
      this.#takeBack = undo
      this.#reportDamage(cause)
      throw new LogUnavailable('The log could not be written', { cause })
    }
  }

  /** Resolves when the store can be used; after a failed write this tries to open it anew. Not while a write runs. */
  async recover(): Promise<void> {
    if (this.#takeBack !== undefined) await this.#reopen(this.#takeBack)
  }

  /** The value of a key; undefined if it is missing or its block is damaged. */
  async get(key: Buffer): Promise<Buffer | undefined> {
    try {
      return await this.#db.get(key)
    } catch (error) {
      if (!this.#reportDamage(error)) throw error
      return undefined
    }
  }

  /**
   * The readable entries in order, read ahead in runs of about 1 MB; `reverse` from the last. LevelDB skips damaged blocks and reports
   * them at the end of the range, instead of the last entries that it has read ahead. They are read one by one then: the first entry of
   * a range comes without a report.
   */
  async *entries(range: KeyRange, reverse = false): AsyncGenerator<readonly [Buffer, Buffer]> {
    const options = { reverse, fillCache: false, highWaterMarkBytes: readAheadBytes }
    let last: Buffer | undefined
    try {
      for await (const entry of this.#db.iterator({ ...range, ...options })) {
        yield entry
        last = entry[0]
      }
      return
    } catch (error) {
      if (!this.#reportDamage(error)) throw error
    }
    for (;;) {
      const left = last === undefined ? range : reverse ? { gte: range.gte, lt: last } : { gt: last, lt: range.lt }
      const entry = await this.#first({ ...left, ...options })
      if (entry === undefined) return
      yield entry
      last = entry[0]
    }
  }

  /** About how many bytes the entries take on disk; the newest of up to 16 MB may be missing in it. */
  async approximateBytes(range: KeyRange): Promise<number> {
    return this.#db.approximateSize(range.gte, range.lt)
  }

  /** Gives the disk space of deleted entries back. */
  async compact(range: KeyRange): Promise<void> {
    await this.#db.compactRange(range.gte, range.lt)
  }

  async close(): Promise<void> {
    await this.#db.close()
  }

  async #first(range: IteratorOptions<Buffer, Buffer>): Promise<[Buffer, Buffer] | undefined> {
    const iterator = this.#db.iterator(range)
    try {
      return await iterator.next()
    } catch (error) {
      if (!this.#reportDamage(error)) throw error
      return undefined
    } finally {
      await iterator.close()
    }
  }

  /** Whether the error is about a damaged file, which is then reported. */
  #reportDamage(error: unknown): boolean {
    if (!isDamage(error)) return false
    this.#onDamagedFile(error.message)
    return true
  }

  async #reopen(takeBack: readonly Write[]): Promise<void> {
    const now = performance.now()
    if (now - this.#lastReopenMs < reopenEveryMs) throw new LogUnavailable('The log could not be written a moment ago')
    this.#lastReopenMs = now
    try {
      await this.#db.close()
      this.#db = await openDb(this.#path)
      await apply(this.#db, takeBack, true)
      this.#takeBack = undefined
    } catch (cause) {
      throw new LogUnavailable('The log could not be opened again', { cause })
    }
  }
}

async function openDb(path: string): Promise<Db> {
  const db: Db = new ClassicLevel(path, {
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    writeBufferSize: 16 << 20,
    maxFileSize: 16 << 20,
  })
  try {
    await db.open()
    return db
  } catch (cause) {
    throw new LogUnavailable(`The log at ${path} could not be opened`, { cause })
  }
}

/** A table that is too short is read beyond its end (EINVAL). */
function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error && 'code' in error)) return false
  return (
    error.code === 'LEVEL_CORRUPTION' ||
    (error.code === 'LEVEL_IO_ERROR' && /invalid argument|no such file/i.test(error.message))
  )
}

/** The batch copies each value: others get their turn between large ones. */
async function apply(db: Db, writes: readonly Write[], sync: boolean): Promise<void> {
  const batch = db.batch()
  try {
    const slice = new WorkSlice()
    for (const { key, value } of writes) {
      if (value === null) batch.del(key)
      else batch.put(key, value)
      if (slice.isOver) await slice.next()
    }
  } catch (error) {
    await batch.close()
    throw error
  }
  await batch.write({ sync })
}
