import { ClassicLevel, type IteratorOptions } from 'classic-level'
import { TimeSlice } from '../../shared/async/time-slice.ts'
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
 * LevelDB with recovery: after a failed write, LevelDB rejects all others until it is reopened (the tail of its journal
 * may be torn). The next write reopens it, and first undoes a partial write.
 */
export class LevelDbStore {
  readonly #path: string
  #db: Db
  readonly #onDamagedFile: (message: string) => void
  #undoLast: readonly Write[] | undefined
  #lastReopenMs = 0

  private constructor(path: string, db: Db, onDamagedFile: (message: string) => void) {
    this.#path = path
    this.#db = db
    this.#onDamagedFile = onDamagedFile
  }

  /**
   * Opens or creates the directory; rejects with `LogUnavailable` if another process has the lock or the directory is
   * not writable. Reads skip unreadable data, and `onDamagedFile` gets LevelDB's message each time.
   */
  static async open(path: string, onDamagedFile: (message: string) => void): Promise<LevelDbStore> {
    return new LevelDbStore(path, await openDb(path), onDamagedFile)
  }

  /**
   * Writes all or nothing, flushed to disk if `sync`. `undo` restores the previous state. One call at a time. Rejects
   * with `LogUnavailable` if the disk is full or fails.
   */
  async write(writes: readonly Write[], undo: readonly Write[], sync: boolean): Promise<void> {
    await this.recover()
    try {
      await apply(this.#db, writes, sync)
    } catch (cause) {
      this.#undoLast = undo
      this.#reportDamage(cause)
      throw new LogUnavailable('Failed to write the log', { cause })
    }
  }

  /** Resolves when the store is usable; after a failed write, reopens it. Must not run during a write. */
  async recover(): Promise<void> {
    if (this.#undoLast !== undefined) await this.#reopen(this.#undoLast)
  }

  /** Reads the value of a key; undefined if it is missing or its block is damaged. */
  async get(key: Buffer): Promise<Buffer | undefined> {
    try {
      return await this.#db.get(key)
    } catch (error) {
      if (!this.#reportDamage(error)) throw error
      return undefined
    }
  }

  /**
   * Yields the readable entries in order, read ahead in runs of about 1 MB; `reverse` from the last. LevelDB skips
   * damaged blocks and reports them at the end of the range, in place of the last entries that it has read ahead. These
   * are then read one by one, because the first entry of a range has no report.
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

  /** Approximate bytes of the entries on disk; may lack the newest ones up to 16 MB. */
  async approximateBytes(range: KeyRange): Promise<number> {
    return this.#db.approximateSize(range.gte, range.lt)
  }

  /** Frees the disk space of deleted entries. */
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

  /** Reports a damaged file; returns whether the error was about one. */
  #reportDamage(error: unknown): boolean {
    if (!isDamage(error)) return false
    this.#onDamagedFile(error.message)
    return true
  }

  async #reopen(undoLast: readonly Write[]): Promise<void> {
    const now = performance.now()
    if (now - this.#lastReopenMs < reopenEveryMs) throw new LogUnavailable('Failed to write the log')
    this.#lastReopenMs = now
    try {
      await this.#db.close()
      this.#db = await openDb(this.#path)
      await apply(this.#db, undoLast, true)
      this.#undoLast = undefined
    } catch (cause) {
      throw new LogUnavailable('Failed to reopen the log', { cause })
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

/** A table that is too short is read past its end (EINVAL). */
function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error && 'code' in error)) return false
  return (
    error.code === 'LEVEL_CORRUPTION' ||
    (error.code === 'LEVEL_IO_ERROR' && /invalid argument|no such file/i.test(error.message))
  )
}

/** Yields to the event loop between large values, because the batch copies each. */
async function apply(db: Db, writes: readonly Write[], sync: boolean): Promise<void> {
  const batch = db.batch()
  try {
    const slice = new TimeSlice()
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
