import { ClassicLevel } from 'classic-level'
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
  #takeBack: readonly Write[] | undefined
  #lastReopenMs = 0

  private constructor(path: string, db: Db) {
    this.#path = path
    this.#db = db
  }

  /** Opens or creates the directory; rejects with `LogUnavailable` when it is locked by another process or can't be written. */
  static async open(path: string): Promise<LevelDbStore> {
    return new LevelDbStore(path, await openDb(path))
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
      throw new LogUnavailable('The log could not be written', { cause })
    }
  }

  /** Resolves when the store can be used; after a failed write this tries to open it anew. Not while a write runs. */
  async recover(): Promise<void> {
    if (this.#takeBack !== undefined) await this.#reopen(this.#takeBack)
  }

  /** The value of a key. */
  get(key: Buffer): Promise<Buffer | undefined> {
    return this.#db.get(key)
  }

  /** Keys in order; `reverse` from the last. */
  async *keys(range: KeyRange, options: { reverse?: boolean; limit?: number } = {}): AsyncGenerator<Buffer> {
    yield* this.#db.keys({ ...range, ...options, fillCache: false })
  }

  /** Entries in order, read ahead in runs of about 1 MB. */
  async *entries(range: KeyRange): AsyncGenerator<readonly [Buffer, Buffer]> {
    yield* this.#db.iterator({ ...range, fillCache: false, highWaterMarkBytes: readAheadBytes })
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
