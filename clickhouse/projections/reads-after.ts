import type { Sql } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'
import * as recordKindTables from '../tables/record-kinds.ts'
import * as recordTables from '../tables/records.ts'

/** Tables of the registrar, and copies of them. */
const names: ReadonlySet<string> = new Set(
  [...Object.values(recordTables), ...Object.values(recordKindTables)].map(({ name }) => name),
)
const named = new RegExp(`\\b(?:${[...names].join('|')})\\b`)

/**
 * The store, whose reads and commands wait for `ready` where they name a table that the registrar writes, and reject as it does.
 * `ready` is null where there is nothing to wait for.
 */
export function readsAfter(store: Store, ready: (signal?: AbortSignal) => Promise<void> | null): Store {
  const until = async (sql: Sql, signal: AbortSignal | undefined): Promise<void> => {
    const waited = readsRecords(sql) ? ready(signal) : null
    if (waited) await waited
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
    if (typeof part === 'string') return named.test(part)
    return 'mark' in part && part.mark === 'table' && names.has(part.table)
  })
}
