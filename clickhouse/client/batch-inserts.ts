import { setTimeout as sleep } from 'node:timers/promises'
import { type Store, StoreError } from './store.ts'

type Insert = (table: string, columns: readonly string[], lines: string | Buffer) => Promise<void>

/** Linger of inserts in ms beyond the minimum, read for each. */
export type Linger = () => number

/** Shortest time that an insert waits for further calls: those of one batch are a few milliseconds apart. */
const minLingerMs = 4
const noLinger: Linger = () => 0
/** An insert of lines has no more bytes than this, unless one call alone has. */
const mostBytes = 4_000_000

/**
 * Makes one insert of all lines that are to go into a table at the same time. A call resolves when its own rows are acknowledged. Each
 * table is always given the same columns.
 */
export function batchInserts(store: Pick<Store, 'insert'>, lingerMs: Linger = noLinger): Insert {
  const targets = new Map<string, (lines: Buffer) => Promise<void>>()

  function targetOf(table: string, columns: readonly string[]): (lines: Buffer) => Promise<void> {
    const insert = (calls: readonly Buffer[]) => store.insert(table, columns, Buffer.concat(calls))
    return gatherCalls(insert, { sizeOf: ({ length }) => length, most: mostBytes, lingerMs })
  }

  return (table, columns, lines) => {
    const target = targets.get(table) ?? targetOf(table, columns)
    targets.set(table, target)
    return target(withLineEnd(typeof lines === 'string' ? Buffer.from(lines) : lines))
  }
}

interface GatherOptions<Rows> {
  readonly sizeOf: (rows: Rows) => number
  /** An insert has no more than this, unless one call alone has. */
  readonly most: number
  readonly lingerMs?: Linger
}

/** A call that waits for its turn. */
interface Waiting<Rows> {
  readonly rows: Rows
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes one insert of the calls that come at the same time, as inserts cost by their number and hardly by rows. A call resolves when its
 * own rows are acknowledged. Rows that the store refuses fail their own call alone.
 */
export function gatherCalls<Rows>(
  insert: (calls: readonly Rows[]) => Promise<void>,
  { sizeOf, most, lingerMs = noLinger }: GatherOptions<Rows>,
): (rows: Rows) => Promise<void> {
  const waiting: Waiting<Rows>[] = []
  let isRunning = false

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await sleep(Math.max(minLingerMs, lingerMs()))
      await insertAll(take())
    }
    isRunning = false
  }

  async function insertAll(calls: readonly Waiting<Rows>[]): Promise<void> {
    try {
      await insert(calls.map(({ rows }) => rows))
      for (const { resolve } of calls) resolve()
    } catch (error) {
      const isRefusal = error instanceof StoreError && !error.retryable
      if (isRefusal && calls.length > 1) for (const call of calls) await insertAll([call])
      else for (const { reject } of calls) reject(error)
    }
  }

  /** The first call, and those after it as long as the insert stays within its bound. */
  function take(): readonly Waiting<Rows>[] {
    let size = 0
    const end = waiting.findIndex(({ rows }, index) => {
      size += sizeOf(rows)
      return index > 0 && size > most
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

function withLineEnd(lines: Buffer): Buffer {
  return lines.length === 0 || lines.at(-1) === lineEnd[0] ? lines : Buffer.concat([lines, lineEnd])
}
