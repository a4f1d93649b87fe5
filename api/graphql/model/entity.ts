import type { Sql } from '../../../clickhouse/sql/sql.ts'
import { type SourceRead, sourceReads, type Source } from './source-reads.ts'
import type { QueryScope } from './scope.ts'

/** Scalar types of the schema. */
export type ScalarName = 'uuid' | 'String' | 'Int' | 'bigint' | 'numeric' | 'Boolean' | 'timestamptz'

/** A field with a scalar value. */
export interface Column {
  readonly type: ScalarName
  readonly isNullable: boolean
  /** Only relations use the column; it is not in the schema. */
  readonly isHidden: boolean
  readonly description: string
  /**
   * SQL of the value, in terms of the source's columns. Its type by scalar type: String for texts, any integer for Int
   * and bigint, Float64 for numeric, UInt8 for Boolean, Int64 in UTC ms for instants.
   */
  readonly sql: (scope: QueryScope) => Sql
  /** Sources that this column reads in addition to those of its entity. */
  readonly reads: readonly SourceRead[]
  /** For a column of `boundedBy.columns` whose SQL excludes the use of an index. */
  readonly stored?: (scope: QueryScope) => StoredValue
}

/** A column of the source with an index, for a nullable column of an entity. */
interface StoredValue {
  /** SQL that equals the value unless it is NULL. */
  readonly value: Sql
  /** SQL condition that is true if the value is NULL. */
  readonly ifNull: Sql
}

/** A field that contains the rows of another entity whose column `their` equals the column `own` of this row. */
export interface Relation {
  readonly kind: 'object' | 'list'
  /** Name of the entity in the model. */
  readonly to: string
  readonly own: string
  readonly their: string
  readonly description: string
}

/** The source and the fields of one GraphQL type. */
export interface Entity {
  /** Name of the GraphQL type. */
  readonly name: string
  readonly description: string
  /** Columns that identify a row. */
  readonly key: readonly string[]
  /** Columns of the default order; rows with equal values are ordered by the key. */
  readonly order: readonly string[]
  readonly columns: Readonly<Record<string, Column>>
  readonly relations: Readonly<Record<string, Relation>>
  /** The sources whose changes may change the rows. */
  readonly reads: readonly SourceRead[]
  /** Columns whose comparisons are passed to `source` as bounds, so that it reads fewer rows. */
  readonly boundedBy?: { readonly instant?: string; readonly text?: string; readonly columns?: readonly string[] }
  /**
   * Returns FROM and WHERE of the company's rows that match all conditions. `needed`: the columns that are read,
   * because some are expensive; `bounds`: the source may omit rows outside them.
   */
  readonly source: (scope: QueryScope, where: readonly Sql[], needed: ReadonlySet<string>, bounds?: Bounds) => Sql
}

/** Limits of the rows that a filter can select, for the columns of `boundedBy`. */
export interface Bounds {
  /** Earliest instant of `boundedBy.instant`, UTC ms; null: unlimited. */
  readonly fromMs: number | null
  /** Allowed values of `boundedBy.text`; null: unlimited. */
  readonly texts: readonly string[] | null
  /**
   * Conditions on columns of `boundedBy.columns`, each with the name of its column, for sources that read other tables
   * with the same columns.
   */
  readonly conditions: readonly (readonly [column: string, condition: Sql])[]
}

/** Bounds that limit no column. */
export const unbounded: Bounds = { fromMs: null, texts: null, conditions: [] }

/** Returns the conditions of the bounds on these columns. */
export function conditionsOn({ conditions }: Bounds, ...columns: readonly string[]): readonly Sql[] {
  return conditions.flatMap(([column, condition]) => (columns.includes(column) ? [condition] : []))
}

type ColumnSql = Sql | ((scope: QueryScope) => Sql)

function columnsOf(type: ScalarName, isNullable: boolean): (value: ColumnSql, description?: string) => Column {
  return (value, description = '') => {
    const sql = typeof value === 'function' ? value : () => value
    return { type, isNullable, isHidden: false, description, sql, reads: [] }
  }
}

/** Constructors of columns by type; the values of `…OrNull` columns may be null. */
export const column = {
  uuid: columnsOf('uuid', false),
  uuidOrNull: columnsOf('uuid', true),
  text: columnsOf('String', false),
  textOrNull: columnsOf('String', true),
  int: columnsOf('Int', false),
  intOrNull: columnsOf('Int', true),
  numeric: columnsOf('numeric', false),
  numericOrNull: columnsOf('numeric', true),
  bool: columnsOf('Boolean', false),
  instant: columnsOf('timestamptz', false),
  instantOrNull: columnsOf('timestamptz', true),
} as const

/** Marks a column as used by relations only. */
export function hiddenColumn(column: Column): Column {
  return { ...column, isHidden: true }
}

/** Adds sources that the column reads in addition to those of its entity. */
export function changingWith(column: Column, ...sources: readonly Source[]): Column {
  return { ...column, reads: sourceReads(...sources) }
}

type RelationColumns = readonly [own: string, their: string]

/** Creates a relation to at most one row of another entity. */
export function toOne(to: string, [own, their]: RelationColumns, description = ''): Relation {
  return { kind: 'object', to, own, their, description }
}

/** Creates a relation to any number of rows of another entity. */
export function toMany(to: string, [own, their]: RelationColumns, description = ''): Relation {
  return { kind: 'list', to, own, their, description }
}

/** Returns a column of an entity by its name; throws if there is none. */
export function columnOf(entity: Entity, name: string): Column {
  const found = entity.columns[name]
  if (!found) throw new Error(`invariant: ${entity.name} has no column ${name}`)
  return found
}
