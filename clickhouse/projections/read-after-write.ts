import type { Sql } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'
import * as recordKindTables from '../tables/record-kinds.ts'
import * as recordTables from '../tables/records.ts'

/** Tables of the registrar, and copies of them. */
const names: ReadonlySet<string> = new Set(
  [...Object.values(recordTables), ...Object.values(recordKindTables)].map(({ name }) => name),
)
const words = /\w+/g

/** Rows on their way into the store. */
export interface PendingRows {
  /** Whether there are any. */
  readonly isBehind: boolean
  /** Resolves when those that there are now have come. */
  settled(signal?: AbortSignal): Promise<void>
}

/** The store, whose reads and commands wait for the rows where they name a table that the registrar writes, and reject as these do. */
export function readAfterWrite(store: Store, rows: PendingRows): Store {
  const until = async (sql: Sql, signal: AbortSignal | undefined): Promise<void> => {
    if (rows.isBehind && readsRecords(sql)) await rows.settled(signal)
  }
  return {
    ...store,
    async query(sql, options) {
      await until(sql, options?.signal)
      return store.query(sql, options)
    },
    async answer(sql, options) {
      await until(sql, options?.signal)
      return store.answer(sql, options)
    },
    async columns(sql, options) {
      await until(sql, options?.signal)
      return store.columns(sql, options)
    },
    async numbers(sql, columns, options) {
      await until(sql, options?.signal)
      return store.numbers(sql, columns, options)
    },
    async *stream(sql, format, options) {
      await until(sql, options?.signal)
      yield* store.stream(sql, format, options)
    },
    async writeFile(sql, format, path, options) {
      await until(sql, options?.signal)
      await store.writeFile(sql, format, path, options)
    },
    async command(sql, options) {
      await until(sql, options?.signal)
      await store.command(sql, options)
    },
  }
}

/** Whether a table of records is marked as read, or named in the text. */
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
