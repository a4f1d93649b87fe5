import { rawSql, type ScalarType, type Sql } from '../sql/sql.ts'

/** Types of columns in the notation of ClickHouse: those of parameters, and further ones. */
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

/** Column types by name, in the order of the table. */
export type TableColumns = Readonly<Record<string, ColumnType>>

/**
 * The declaration of a table: its columns and their types. Writers, readers and identifiers in SQL are derived from it.
 * A test compares it with the migrations.
 */
export interface Table<C extends TableColumns = TableColumns> {
  readonly name: string
  readonly columns: C
}

/** Name of a column of a table. */
export type ColumnName<T extends Table> = keyof T['columns'] & string

export function table<const C extends TableColumns>(name: string, columns: C): Table<C> {
  return { name, columns }
}

/** Returns a column as an identifier in SQL. */
export function column<T extends Table>(of: T, name: ColumnName<T>): Sql {
  if (!Object.hasOwn(of.columns, name)) throw new TypeError(`Table ${of.name} has no column ${name}`)
  return identifier(name)
}

/** Columns of a group of parallel arrays: `<group>_<element>` by the names of the elements. */
export type ArrayColumns<Group extends string, Elements extends TableColumns> = {
  readonly [Name in keyof Elements & string as `${Group}_${Name}`]: Elements[Name] extends ScalarType
    ? `Array(${Elements[Name]})`
    : Elements[Name] extends `Array(${infer Item extends ScalarType})`
      ? `Array(Array(${Item}))`
      : never
}

/**
 * Declares parallel arrays, one per element of a list's items. In each row, the arrays of a group have equal lengths.
 * `elements`: types of the elements.
 */
export function arrayColumns<const Group extends string, const Elements extends TableColumns>(
  group: Group,
  elements: Elements,
): ArrayColumns<Group, Elements> {
  const entries = Object.entries(elements).map(([name, type]) => [`${group}_${name}`, `Array(${type})`])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names and types are those of the return type
  return Object.fromEntries(entries) as ArrayColumns<Group, Elements>
}

/** Creates an identifier from a name of the registry. */
export function identifier(name: string): Sql {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new TypeError(`Not an identifier: ${JSON.stringify(name)}`)
  return rawSql(name)
}
