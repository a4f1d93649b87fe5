import { TimeSlice } from '../../shared/async/time-slice.ts'
import type { Sql } from '../sql/sql.ts'
import type { Kind } from './kinds.ts'
import type { ColumnarResult, QueryOptions, StoreReads } from './store.ts'

/** Names of the columns of a result, and how each is read. */
export type Shape = Readonly<Record<string, Kind<unknown>>>

export type RowOf<S extends Shape> = { readonly [Name in keyof S]: S[Name] extends Kind<infer T> ? T : never }

export type ColumnsOf<S extends Shape> = { readonly [Name in keyof S]: readonly RowOf<S>[Name][] }

/** Options of the reads of the pipeline, which reports do not delay. */
export const ofPipeline: QueryOptions = { workload: 'process' }

const valuesPerSlice = 1000

/** Thrown if a result does not have the expected shape, which is a bug of the query or of its reader. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError'
}

/**
 * Runs a SELECT and returns all rows. Throws a `ShapeError` unless the result has exactly the columns of the shape, in
 * any order, each of a supported type; rejects with a `StoreError`.
 */
export async function rows<const S extends Shape>(
  store: StoreReads,
  query: Sql,
  shape: S,
  options: QueryOptions = {},
): Promise<readonly RowOf<S>[]> {
  const found = await columns(store, query, shape, options)
  const entries: readonly (readonly [string, readonly unknown[]])[] = Object.entries(found)
  const count = entries[0]?.[1].length ?? 0
  const result: RowOf<S>[] = []
  const slice = new TimeSlice()
  for (let index = 0; index < count; index++) {
    const row: Record<string, unknown> = {}
    for (const [name, values] of entries) row[name] = values[index]
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `columns` has checked it
    result.push(row as RowOf<S>)
    if (index % valuesPerSlice === 0 && slice.isOver) await slice.next()
  }
  return result
}

/** Runs a SELECT with at most one row; null if it has none. Otherwise like `rows`. */
export async function firstRow<const S extends Shape>(
  store: StoreReads,
  query: Sql,
  shape: S,
  options: QueryOptions = {},
): Promise<RowOf<S> | null> {
  const [row] = await rows(store, query, shape, options)
  return row ?? null
}

/**
 * Runs a SELECT and returns one array per column, all of equal length; faster than `rows` for many rows, otherwise
 * equal.
 */
export async function columns<const S extends Shape>(
  store: StoreReads,
  query: Sql,
  shape: S,
  options: QueryOptions = {},
): Promise<ColumnsOf<S>> {
  const settings = { ...options.settings, output_format_json_quote_64bit_integers: 0 }
  return await convertByShape(await store.queryColumns(query, { ...options, settings }), shape)
}

/** Converts a result by its shape; yields to the event loop if it has many rows. */
async function convertByShape<const S extends Shape>(result: ColumnarResult, shape: S): Promise<ColumnsOf<S>> {
  const names = result.meta.map(({ name }) => name)
  const missing = Object.keys(shape).filter(name => !names.includes(name))
  const unknown = names.filter(name => !Object.hasOwn(shape, name))
  if (missing.length > 0 || unknown.length > 0)
    throw new ShapeError(
      `Result lacks the columns [${missing.join(', ')}] and has the unknown columns [${unknown.join(', ')}]`,
    )
  const slice = new TimeSlice()
  const read: (readonly [string, readonly unknown[]])[] = []
  for (const { name, type } of result.meta) {
    const kind = shape[name]
    const values = result.rows === 0 ? [] : result.data[name]
    if (!kind?.accepts(type)) throw new ShapeError(`Column ${name} has the unsupported type ${type}`)
    if (values?.length !== result.rows)
      throw new ShapeError(`Column ${name} does not have a value for each of ${result.rows} rows`)
    read.push([name, kind.read ? await readCooperatively(values, kind.read, slice) : values])
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked above
  return Object.fromEntries(read) as ColumnsOf<S>
}

async function readCooperatively(values: readonly unknown[], read: (value: unknown) => unknown, slice: TimeSlice) {
  const result: unknown[] = []
  for (let index = 0; index < values.length; index++) {
    result.push(read(values[index]))
    if (index % valuesPerSlice === 0 && slice.isOver) await slice.next()
  }
  return result
}

/** Returns the item at an index that is known to exist; throws a `RangeError` if it does not. */
export function itemAt<T>(values: readonly T[], index: number): T {
  const value = values[index]
  if (value === undefined) throw new RangeError(`An array of ${values.length} has no item ${index}`)
  return value
}
