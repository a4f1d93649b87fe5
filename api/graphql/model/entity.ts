import type { Sql } from '../../../clickhouse/sql/sql.ts'
import { type Reading, readings, type Source } from './readings.ts'
import type { QueryScope } from './scope.ts'

/** Scalar types of the schema. */
export type ScalarName = 'uuid' | 'String' | 'Int' | 'bigint' | 'numeric' | 'Boolean' | 'timestamptz'

/** A field with a scalar value. */
export interface Column {
  readonly type: ScalarName
  readonly isNullable: boolean
  /** Used by relations only; not in the schema. */
  readonly isHidden: boolean
  readonly description: string
  /**
   * The value in terms of the source's columns: texts as String, ints and bigints as any integer, numerics as Float64,
   * booleans as UInt8, instants as Int64 of UTC ms.
   */
  readonly sql: (scope: QueryScope) => Sql
  /** Sources that this column reads besides those of its entity. */
  readonly reads: readonly Reading[]
}

/** A field that leads to the rows of another entity whose column `their` equals the column `own` of this row. */
export interface Relation {
  readonly kind: 'object' | 'list'
  /** Name of the entity in the model. */
  readonly to: string
  readonly own: string
  readonly their: string
  readonly description: string
}

/** Rows of one GraphQL type: their source and their fields. */
export interface Entity {
  /** Name of the GraphQL type. */
  readonly name: string
  readonly description: string
  /** Columns that identify a row. */
  readonly key: readonly string[]
  /** Columns of the default order; the key follows. */
  readonly order: readonly string[]
  readonly columns: Readonly<Record<string, Column>>
  readonly relations: Readonly<Record<string, Relation>>
  /** Sources of its rows: when one of them changes, the rows may change. */
  readonly reads: readonly Reading[]
  /** Columns whose comparisons are passed to `source` as bounds, because it then reads less. */
  readonly boundedBy?: { readonly instant?: string; readonly text?: string; readonly columns?: readonly string[] }
  /**
   * FROM and WHERE of the company's rows that match all conditions. `needed`: the columns that are read, because some
   * are expensive; `bounds`: rows outside them may be omitted.
   */
  readonly source: (scope: QueryScope, where: readonly Sql[], needed: ReadonlySet<string>, bounds?: Bounds) => Sql
}

/** Limits of the selected rows, for the columns of `boundedBy`. */
export interface Bounds {
  /** Earliest instant, UTC ms; null: any. */
  readonly fromMs: number | null
  /** The only texts; null: any. */
  readonly texts: readonly string[] | null
  /** Conditions on columns of `boundedBy.columns`, for tables that have these columns. */
  readonly conditions: readonly Sql[]
}

export const unbounded: Bounds = { fromMs: null, texts: null, conditions: [] }

type ColumnSql = Sql | ((scope: QueryScope) => Sql)

function column(type: ScalarName, isNullable: boolean): (value: ColumnSql, description?: string) => Column {
  return (value, description = '') => {
    const sql = typeof value === 'function' ? value : () => value
    return { type, isNullable, isHidden: false, description, sql, reads: [] }
  }
}

/** Columns by type; those of `…OrNull` may be null. */
export const uuidColumn = column('uuid', false)
export const textColumn = column('String', false)
export const textColumnOrNull = column('String', true)
export const intColumn = column('Int', false)
export const intColumnOrNull = column('Int', true)
export const numericColumn = column('numeric', false)
export const numericColumnOrNull = column('numeric', true)
export const boolColumn = column('Boolean', false)
export const instantColumn = column('timestamptz', false)
export const instantColumnOrNull = column('timestamptz', true)

/** A column that only relations use. */
export function hidden(given: Column): Column {
  return { ...given, isHidden: true }
}

/** A column that also changes with the given sources. */
export function changingWith(given: Column, ...sources: readonly Source[]): Column {
  return { ...given, reads: readings(...sources) }
}

type Ends = readonly [own: string, their: string]

/** A relation to at most one row of another entity. */
export function one(to: string, [own, their]: Ends, description = ''): Relation {
  return { kind: 'object', to, own, their, description }
}

/** A relation to any number of rows of another entity. */
export function many(to: string, [own, their]: Ends, description = ''): Relation {
  return { kind: 'list', to, own, their, description }
}

/** The column of an entity; throws if there is none. */
export function columnOf(entity: Entity, name: string): Column {
  const found = entity.columns[name]
  if (!found) throw new Error(`invariant: ${entity.name} has no column ${name}`)
  return found
}
