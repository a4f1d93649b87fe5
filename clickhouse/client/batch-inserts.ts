import { setTimeout as sleep } from 'node:timers/promises'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { type Store, StoreError } from './store.ts'

type Insert = (table: string, columns: readonly string[], lines: string | Buffer) => Promise<void>

/**
 * Returns the time that an insert waits for further calls, ms, in addition to the minimum; called before each insert.
 */
export type Linger = () => number

/** Minimum time that an insert waits for further calls, ms: the calls of one batch are a few milliseconds apart. */
const minLingerMs = 4
const noLinger: Linger = () => 0
/** Maximum bytes of one insert, unless a single call has more. */
const maxInsertBytes = 4_000_000

/**
 * Combines the lines that concurrent calls insert into the same table. A call resolves when its own rows are
 * acknowledged. All calls for a table must have the same columns.
 */
export function batchInserts(store: Pick<Store, 'insert'>, lingerMs: Linger = noLinger): Insert {
  const targets = new Map<string, (lines: Buffer) => Promise<void>>()
  return (table, columns, lines) => {
    const insert = (calls: readonly Buffer[]) => store.insert(table, columns, Buffer.concat(calls))
    const options = { sizeOf: ({ length }: Buffer) => length, maxSize: maxInsertBytes, lingerMs }
    const target = getOrCreate(targets, table, () => batchRows(insert, options))
    return target(withLineEnd(typeof lines === 'string' ? Buffer.from(lines) : lines))
  }
}

interface BatchOptions<Rows> {
  readonly sizeOf: (rows: Rows) => number
  /** Maximum size of one insert, unless a single call is larger. */
  readonly maxSize: number
  readonly lingerMs?: Linger
}

/** A call whose rows are not inserted yet. */
interface PendingCall<Rows> {
  readonly rows: Rows
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Combines concurrent calls into one insert, because the cost of inserts depends on their number, hardly on their rows.
 * A call resolves when its own rows are acknowledged. If the store rejects rows, only the call with these rows rejects.
 */
export function batchRows<Rows>(
  insert: (calls: readonly Rows[]) => Promise<void>,
  { sizeOf, maxSize, lingerMs = noLinger }: BatchOptions<Rows>,
): (rows: Rows) => Promise<void> {
  const waiting: PendingCall<Rows>[] = []
  let isRunning = false

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await sleep(Math.max(minLingerMs, lingerMs()))
      await insertAll(nextCalls())
    }
    isRunning = false
  }

  async function insertAll(calls: readonly PendingCall<Rows>[]): Promise<void> {
    try {
      await insert(calls.map(({ rows }) => rows))
      for (const { resolve } of calls) resolve()
    } catch (error) {
      const isRejected = error instanceof StoreError && !error.retryable
      if (isRejected && calls.length > 1) for (const call of calls) await insertAll([call])
      else for (const { reject } of calls) reject(error)
    }
  }

  /** Removes the first call, and the following ones up to the maximum size of an insert. */
  function nextCalls(): readonly PendingCall<Rows>[] {
    let size = 0
    const end = waiting.findIndex(({ rows }, index) => {
      size += sizeOf(rows)
      return index > 0 && size > maxSize
    })
    return waiting.splice(0, end < 0 ? waiting.length : end)
  }

  return rows =>
    new Promise((resolve, reject) => {
      waiting.push({ rows, resolve, reject })
      if (isRunning) return
      isRunning = true
      run().catch(reject)
    })
}

const lineEnd = Buffer.from('\n')

/** Ends the last row, so that further rows can follow: an empty line is not a row. */
export function withLineEnd(lines: Buffer): Buffer {
  return lines.length === 0 || lines.at(-1) === lineEnd[0] ? lines : Buffer.concat([lines, lineEnd])
}
