import { listOf, type Kind } from '../client/kinds.ts'
import { type RowOf, type Shape, ShapeError } from '../client/rows.ts'
import { join, type Sql } from '../sql/sql.ts'
import { identifier } from './table.ts'

type ArraysShape<Group extends string, S extends Shape> = {
  readonly [Name in keyof S & string as `${Group}_${Name}`]: Kind<readonly RowOf<S>[Name][]>
}

/** A list that a table stores as arrays of equal length, one per element of its items. */
export interface ParallelArrays<Group extends string, S extends Shape> {
  /** The columns, for a SELECT. */
  readonly columns: Sql
  /** Decoders of the columns. */
  readonly shape: ArraysShape<Group, S>
  /** Returns the items of a row. Throws a `ShapeError` if the arrays have different lengths. */
  readonly items: (row: RowOf<ArraysShape<Group, S>>) => readonly RowOf<S>[]
}

/** Creates the reader of the arrays of a group (`<group>_<element>`). `elements`: decoders of the elements. */
export function parallelArrays<const Group extends string, const S extends Shape>(
  group: Group,
  elements: S,
): ParallelArrays<Group, S> {
  const names = Object.keys(elements)
  const shape = Object.fromEntries(Object.entries(elements).map(([name, kind]) => [`${group}_${name}`, listOf(kind)]))
  return {
    columns: join(names.map(name => identifier(`${group}_${name}`))),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names and types are those of the return type
    shape: shape as unknown as ArraysShape<Group, S>,
    items: row => zip<S>(group, names, new Map(Object.entries(row))),
  }
}

function zip<S extends Shape>(
  group: string,
  names: readonly string[],
  row: ReadonlyMap<string, unknown>,
): readonly RowOf<S>[] {
  const arrays = names.map(name => [name, arrayOf(row.get(`${group}_${name}`))] as const)
  const count = arrays[0]?.[1].length ?? 0
  if (arrays.some(([, values]) => values.length !== count))
    throw new ShapeError(`The arrays of ${group} have different lengths`)
  return Array.from({ length: count }, (_, i) => {
    const item: Record<string, unknown> = {}
    for (const [name, values] of arrays) item[name] = values[i]
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape was checked when the row was read
    return item as RowOf<S>
  })
}

function arrayOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new ShapeError('A row lacks an array of a list')
}
