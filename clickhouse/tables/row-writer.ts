import type { InsertOptions, Store } from '../client/store.ts'
import type { Columns, Table } from './table.ts'

/** Values as JSON takes them for a type of column. */
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

/** What each column of a table gets of something: columns that are left out get their default. */
type Values<C extends Columns, Item> = { readonly [Name in keyof C]?: (item: Item) => ValueOf<C[Name]> }

/** Turns things into rows of a table. */
export interface RowWriter<Item> {
  readonly table: string
  readonly columns: readonly string[]
  /** One line of JSONCompactEachRow. */
  readonly line: (item: Item) => string
}

export function rowWriter<C extends Columns, Item>(table: Table<C>, values: Values<C, Item>): RowWriter<Item> {
  const columns = Object.keys(values)
  const readers: readonly ((item: Item) => unknown)[] = Object.values(values)
  return { table: table.name, columns, line: item => JSON.stringify(readers.map(read => read(item))) }
}

/** Inserts rows in one statement: all or none of one month. Rejects with a `StoreError`. */
export async function insertRows<Item>(
  store: Pick<Store, 'insert'>,
  { table, columns, line }: RowWriter<Item>,
  items: readonly Item[],
  options: InsertOptions = {},
): Promise<void> {
  await store.insert(table, columns, items.map(line).join('\n'), options)
}
