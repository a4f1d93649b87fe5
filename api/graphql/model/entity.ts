import type { Sql } from '../../../clickhouse/sql/sql.ts'
import { type Reading, readings, type Source } from './readings.ts'
import type { QueryScope } from './scope.ts'

/** Scalars of the interface. */
export type ScalarName = 'uuid' | 'String' | 'Int' | 'bigint' | 'numeric' | 'Boolean' | 'timestamptz'

/** A field with a value of its own. */
export interface Column {
  readonly type: ScalarName
  readonly isNullable: boolean
  /** For relations alone: no field of the interface. */
  readonly isHidden: boolean
  readonly description: string
  /**
   * The value in terms of the source's columns: texts as String, ints and bigints as any integer, numerics as Float64, booleans as UInt8,
   * instants as Int64 of UTC ms.
   */
  readonly sql: (scope: QueryScope) => Sql
  /** Sources that this column reads beyond those of its entity. */
  readonly reads: readonly Reading[]
}

/** A field that leads to rows of another entity: those whose column `their` equals the row's column `own`. */
export interface Relation {
  readonly kind: 'object' | 'list'
  /** Name of the entity in the model. */
  readonly to: string
  readonly own: string
  readonly their: string
  readonly description: string
}

/** Rows of one GraphQL type: where they come from, and their fields. */
export interface Entity {
  /** Name of the GraphQL type. */
  readonly name: string
  readonly description: string
  /** Columns that tell a row from every other one. */
  readonly key: readonly string[]
  /** Columns in whose order rows come where nothing else is asked; the key settles the rest. */
  readonly order: readonly string[]
  readonly columns: Readonly<Record<string, Column>>
  readonly relations: Readonly<Record<string, Relation>>
  /** Where its rows come from: when one of these changes, they may be others. */
  readonly reads: readonly Reading[]
  /** Columns whose comparisons `source` is told as bounds, because it reads less within them. */
  readonly boundedBy?: { readonly instant?: string; readonly text?: string; readonly columns?: readonly string[] }
  /**
   * FROM and WHERE of the company's rows for which all conditions hold; `needed`: the columns that are read, as not all cost the same;
   * `bounds`: rows outside them may be left out.
   */
  readonly source: (scope: QueryScope, where: readonly Sql[], needed: ReadonlySet<string>, bounds?: Bounds) => Sql
}

/** Bounds of the rows that are asked for, by the columns of `boundedBy`. */
export interface Bounds {
  /** Earliest instant, UTC ms; null: any. */
  readonly fromMs: number | null
  /** The only texts; null: any. */
  readonly texts: readonly string[] | null
  /** Conditions on columns of `boundedBy.columns`, which tables that have these columns may be read by. */
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

/** Columns by type; `…OrNull` may have no value. */
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

/** A column that only relations need. */
export function hidden(given: Column): Column {
  return { ...given, isHidden: true }
}

/** A column that changes with further sources. */
export function changingWith(given: Column, ...sources: readonly Source[]): Column {
  return { ...given, reads: readings(...sources) }
}

type Ends = readonly [own: string, their: string]

/** At most one row of another entity. */
export function one(to: string, [own, their]: Ends, description = ''): Relation {
  return { kind: 'object', to, own, their, description }
}

/** All such rows of another entity. */
export function many(to: string, [own, their]: Ends, description = ''): Relation {
  return { kind: 'list', to, own, their, description }
}

/** The column of an entity; throws where the model names none. */
export function columnOf(entity: Entity, name: string): Column {
  const found = entity.columns[name]
  if (!found) throw new Error(`invariant: ${entity.name} has no column ${name}`)
  return found
}
