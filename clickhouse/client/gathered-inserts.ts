import { setTimeout as sleep } from 'node:timers/promises'
import { type Store, StoreError } from './store.ts'

type Insert = (table: string, columns: readonly string[], lines: string | Buffer) => Promise<void>

/** An insert that waits for its turn. */
interface Waiting {
  readonly lines: Buffer
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Target {
  readonly columns: readonly string[]
  waiting: Waiting[]
}

/** Inserts wait so long for others, in ms; asked for each. */
export type Linger = () => number

const shortly: Linger = () => 4
/** An insert has no more bytes than this, unless one call alone has. */
const mostBytes = 4_000_000

/**
 * Makes one insert of all that is to go into a table at the same time, as inserts cost by their number and hardly by rows. A call
 * resolves when its own rows are acknowledged. Rows that the store refuses fail their own call alone. Each table is always given
 * the same columns.
 */
export function gatherInserts(store: Pick<Store, 'insert'>, lingerMs: Linger = shortly): Insert {
  const targets = new Map<string, Target>()

  async function run(table: string, target: Target): Promise<void> {
    while (target.waiting.length > 0) {
      await sleep(lingerMs())
      await insertAll(table, target.columns, take(target))
    }
    targets.delete(table)
  }

  async function insertAll(table: string, columns: readonly string[], calls: readonly Waiting[]): Promise<void> {
    try {
      await store.insert(table, columns, Buffer.concat(calls.map(({ lines }) => lines)))
      for (const { resolve } of calls) resolve()
    } catch (error) {
      const isRefusal = error instanceof StoreError && !error.retryable
      if (isRefusal && calls.length > 1) for (const call of calls) await insertAll(table, columns, [call])
      else for (const { reject } of calls) reject(error)
    }
  }

  return (table, columns, lines) =>
    new Promise((resolve, reject) => {
      const bytes = typeof lines === 'string' ? Buffer.from(lines) : lines
      const known = targets.get(table)
      const target = known ?? { columns, waiting: [] }
      target.waiting.push({ lines: withLineEnd(bytes), resolve, reject })
      if (known) return
      targets.set(table, target)
      run(table, target).catch(reject)
    })
}

/** The first call, and those after it as long as the insert stays within its bound. */
function take(target: Target): readonly Waiting[] {
  let bytes = 0
  const end = target.waiting.findIndex(({ lines }, index) => {
    bytes += lines.length
    return index > 0 && bytes > mostBytes
  })
  return target.waiting.splice(0, end < 0 ? target.waiting.length : end)
}

const lineEnd = Buffer.from('\n')

function withLineEnd(lines: Buffer): Buffer {
  return lines.length === 0 || lines.at(-1) === lineEnd[0] ? lines : Buffer.concat([lines, lineEnd])
}
