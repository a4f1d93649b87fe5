import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import type { InsertOptions, Store } from '../client/store.ts'
import type { TableColumns, Table } from './table.ts'

/** JSON value of a column type. */
type ValueOf<Type extends string> = Type extends `Array(${infer Item})`
  ? readonly ValueOf<Item>[]
  : Type extends `Nullable(${infer Item})`
    ? ValueOf<Item> | null
    : Type extends `LowCardinality(${infer Item})`
      ? ValueOf<Item>
      : Type extends 'UInt64'
        ? number | string
        : Type extends 'String' | 'Date32' | `DateTime64${string}`
          ? string
          : number

/** Functions that return the value of each column; missing columns get their default. */
type Values<C extends TableColumns, Item> = { readonly [Name in keyof C]?: (item: Item) => ValueOf<C[Name]> }

/** Converts items to rows of a table. */
export interface RowWriter<Item> {
  readonly table: string
  readonly columns: readonly string[]
  /** Returns one line of JSONCompactEachRow. */
  readonly line: (item: Item) => string
}

export function rowWriter<C extends TableColumns, Item>(table: Table<C>, values: Values<C, Item>): RowWriter<Item> {
  const columns = Object.keys(values)
  const readers: readonly ((item: Item) => unknown)[] = Object.values(values)
  return { table: table.name, columns, line: item => JSON.stringify(readers.map(read => read(item))) }
}

/**
 * Inserts rows in one statement, which is atomic per month. Yields to the event loop for many rows. Rejects with a
 * `StoreError`.
 */
export async function insertRows<Item>(
  store: Pick<Store, 'insert'>,
  { table, columns, line }: RowWriter<Item>,
  items: readonly Item[],
  options: InsertOptions = {},
): Promise<void> {
  await store.insert(table, columns, await joinInTurns(items, line), options)
}

/** Returns the lines of the items in order. Yields to the event loop. */
export function joinInTurns<Item>(items: readonly Item[], line: (item: Item) => string): Promise<Buffer> {
  return runCooperatively(joining(items, line))
}

/** Number of characters that are encoded at once. */
const chunkChars = 64_000

function* joining<Item>(items: readonly Item[], line: (item: Item) => string): Steps<Buffer> {
  const chunks: Buffer[] = []
  let open = ''
  for (const item of items) {
    open += `${line(item)}\n`
    if (open.length > chunkChars) {
      chunks.push(Buffer.from(open))
      open = ''
    }
    yield
  }
  chunks.push(Buffer.from(open))
  const whole = Buffer.allocUnsafe(chunks.reduce((bytes, { length }) => bytes + length, 0))
  let at = 0
  for (const chunk of chunks) {
    at += chunk.copy(whole, at)
    yield
  }
  return whole
}
