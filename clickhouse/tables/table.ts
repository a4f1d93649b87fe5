import { rawSql, type ScalarType, type Sql } from '../sql/sql.ts'

/** Types of columns in ClickHouse: types of parameters, and types that only columns have. */
type ColumnScalar =
  | ScalarType
  | 'LowCardinality(String)'
  | 'Nullable(Float64)'
  | 'Nullable(Int64)'
  | 'Nullable(String)'
  | 'SimpleAggregateFunction(min, Int64)'
  | 'SimpleAggregateFunction(min, UInt16)'
  | 'SimpleAggregateFunction(max, UInt16)'
export type ColumnType = ColumnScalar | `Array(${ColumnScalar})` | `Array(Array(${ColumnScalar}))`

/** The columns of a table by name, in the order of the table. */
export type TableColumns = Readonly<Record<string, ColumnType>>

/**
 * A table of the store: the only declaration of its columns and types, for writers, readers and identifiers in SQL. A test compares it with
 * the migrations.
 */
export interface Table<C extends TableColumns = TableColumns> {
  readonly name: string
  readonly columns: C
}

/** The name of a column of a table. */
export type ColumnName<T extends Table> = keyof T['columns'] & string

export function table<const C extends TableColumns>(name: string, columns: C): Table<C> {
  return { name, columns }
}

/** A column of a table, as an identifier in SQL. */
export function column<T extends Table>(of: T, name: ColumnName<T>): Sql {
  if (!Object.hasOwn(of.columns, name)) throw new TypeError(`Table ${of.name} has no column ${name}`)
  return identifier(name)
}

/** The columns of a group of parallel arrays by the names of their elements, of which `<group>_<element>` is the name of the column. */
export type ArrayColumns<Group extends string, Elements extends TableColumns> = {
  readonly [Name in keyof Elements & string as `${Group}_${Name}`]: Elements[Name] extends ScalarType
    ? `Array(${Elements[Name]})`
    : Elements[Name] extends `Array(${infer Item extends ScalarType})`
      ? `Array(Array(${Item}))`
      : never
}

/**
 * Parallel arrays, one for each element of a list's items: the arrays of a group have one length in each row. `elements` are the
 * types of the elements.
 */
export function arrayColumns<const Group extends string, const Elements extends TableColumns>(
  group: Group,
  elements: Elements,
): ArrayColumns<Group, Elements> {
  const entries = Object.entries(elements).map(([name, type]) => [`${group}_${name}`, `Array(${type})`])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the type says it
  return Object.fromEntries(entries) as ArrayColumns<Group, Elements>
}

/** Accepts only names of the registry. */
export function identifier(name: string): Sql {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new TypeError(`Not an identifier: ${JSON.stringify(name)}`)
  return rawSql(name)
}
