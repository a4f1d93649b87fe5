import type { Sql } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'
import * as recordKindTables from '../tables/record-kinds.ts'
import * as recordTables from '../tables/records.ts'

/** Tables that the registrar writes, and copies of them. */
const names: ReadonlySet<string> = new Set(
  [...Object.values(recordTables), ...Object.values(recordKindTables)].map(({ name }) => name),
)
const words = /\w+/g

/** Rows that are not inserted into the store yet. */
export interface PendingRows {
  /** Whether there are pending rows. */
  readonly isBehind: boolean
  /** Resolves when the rows that are pending at the call are inserted. */
  settled(signal?: AbortSignal): Promise<void>
}

/**
 * Wraps a store: reads and commands that name a table of the registrar first wait for its pending rows, and reject if
 * that fails.
 */
export function readAfterWrite(store: Store, rows: PendingRows): Store {
  const waitForRows = async (sql: Sql, signal: AbortSignal | undefined): Promise<void> => {
    if (rows.isBehind && readsRecords(sql)) await rows.settled(signal)
  }
  return {
    ...store,
    async query(sql, options) {
      await waitForRows(sql, options?.signal)
      return store.query(sql, options)
    },
    async queryColumns(sql, options) {
      await waitForRows(sql, options?.signal)
      return store.queryColumns(sql, options)
    },
    async columns(sql, options) {
      await waitForRows(sql, options?.signal)
      return store.columns(sql, options)
    },
    async numbers(sql, columns, options) {
      await waitForRows(sql, options?.signal)
      return store.numbers(sql, columns, options)
    },
    async *stream(sql, format, options) {
      await waitForRows(sql, options?.signal)
      yield* store.stream(sql, format, options)
    },
    async writeFile(sql, format, path, options) {
      await waitForRows(sql, options?.signal)
      await store.writeFile(sql, format, path, options)
    },
    async command(sql, options) {
      await waitForRows(sql, options?.signal)
      await store.command(sql, options)
    },
  }
}

/** Returns whether the SQL reads or names a table of the registrar. */
function readsRecords({ parts }: Sql): boolean {
  return parts.some(part => {
    if (typeof part === 'string') return namesRecords(part)
    return 'mark' in part && part.mark === 'table' && names.has(part.table)
  })
}

function namesRecords(text: string): boolean {
  for (const [word] of text.matchAll(words)) if (names.has(word)) return true
  return false
}
