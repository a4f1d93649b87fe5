import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../../../schema/errors.ts'
import type { Asking } from '../ask/asking.ts'
import type { Columns } from '../ask/columns.ts'
import type { Query } from '../compile/query.ts'

/** An answer that is to be complete: some of what it names follows the documents within moments. */
export interface Awaited {
  readonly isComplete: (columns: Columns) => boolean
  /** Message of the 503 if the result does not become complete. */
  readonly message: string
}

/** Sends a query; `awaited`: again, until the answer is complete. */
export async function run(query: Query, { store, options }: Asking, awaited?: Awaited): Promise<Columns> {
  const send = () => store.numbers(query.sql, query.columns, options)
  if (!awaited) return send()
  for (const waitMs of waitsMs) {
    const columns = await send()
    if (awaited.isComplete(columns)) return columns
    await sleep(waitMs, undefined, options.signal && { signal: options.signal })
  }
  throw unavailable(awaited.message)
}

const waitsMs = [50, 100, 200, 400, 800]
