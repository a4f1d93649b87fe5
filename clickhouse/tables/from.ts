import { array, empty, join, marked, sql, str, uint32, type Sql } from '../sql/sql.ts'
import { columnsAlone, enclosed } from './enclosed.ts'
import { column, type TableColumns, type Table } from './table.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** A table with the `ref` of a company in each row. */
export type CompanyTable = Table<{ readonly company: 'UInt32' }>
/** A table with the id of a company in each row. */
export type CompanyIdTable = Table<{ readonly company: 'LowCardinality(String)' }>

export interface ReadOptions {
  /** Reads only the newest version of each row. */
  readonly final?: boolean
  /** Arrays of an ARRAY JOIN. */
  readonly unfold?: readonly Sql[]
  /** The arrays of a row may differ in length: shorter ones are padded with 0. Otherwise the engine rejects them. */
  readonly isPadded?: boolean
  /** Further conditions. */
  readonly where?: readonly Sql[]
}

/** A relation with the columns of a table, including `company`, such as provisional documents. */
export interface DerivedTable {
  readonly relation: Sql
}

/**
 * The FROM clause of the rows of a company, with its WHERE: the only way to read tables of companies. The column is qualified, because
 * `company` may be an alias in the SELECT.
 */
export function from(table: CompanyTable | DerivedTable, companyRef: CompanyRef, reading?: ReadOptions): Sql
export function from(table: CompanyIdTable, companyId: string, reading?: ReadOptions): Sql
export function from(table: Table | DerivedTable, company: number | string, reading: ReadOptions = {}): Sql {
  const value = typeof company === 'number' ? uint32(company) : str(company)
  if ('relation' in table)
    return clause(sql`(${table.relation})`, { ...reading, final: false }, [sql`company = ${value}`])
  return marked(table.name, { company }, name =>
    clause(name, reading, [sql`${name}.${column(table, 'company')} = ${value}`]),
  )
}

/**
 * The FROM clause of the rows of several companies, or of all, and why they are read. For the processors, whose partitions hold
 * machines of all companies; a test lists who calls it, and a guarded store refuses it.
 */
export function fromAll(table: CompanyTable | CompanyIdTable, why: string, reading: ReadOptions = {}): Sql {
  return marked(table.name, { all: why }, name => clause(name, reading, []))
}

/** The FROM clause of a table that belongs to no company. */
export function fromShared<C extends TableColumns & { readonly company?: never }>(
  table: Table<C>,
  reading: ReadOptions = {},
): Sql {
  return marked(table.name, 'shared', name => clause(name, reading, []))
}

/** Condition: the row is of one of these machines, by `ref`. */
export function ofMachines(machines: readonly MachineRef[]): Sql {
  return sql`machine IN ${array(uint32, machines)}`
}

/** A WHERE of all the conditions; empty for none. */
export function whereAll(conditions: readonly Sql[]): Sql {
  return conditions.length > 0 ? sql`WHERE ${join(conditions, sql` AND `)}` : empty
}

function clause(
  source: Sql,
  { final = false, unfold = [], isPadded = false, where = [] }: ReadOptions,
  own: readonly Sql[],
): Sql {
  const newest = final ? sql` FINAL` : empty
  const unfolded = unfold.length > 0 ? sql` ARRAY JOIN ${join(unfold.map(columnsAlone))}` : empty
  const settings = isPadded ? sql` SETTINGS enable_unaligned_array_join = 1` : empty
  return sql`FROM ${source}${newest}${unfolded} ${whereAll([...own, ...where.map(enclosed)])}${settings}`
}
