import { array, empty, join, marked, sql, str, uint32, type Sql } from '../sql/sql.ts'
import { columnsAlone, enclosed } from './enclosed.ts'
import { column, type TableColumns, type Table } from './table.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** A table whose rows belong to companies, identified by ref. */
export type CompanyTable = Table<{ readonly company: 'UInt32' }>
/** A table whose rows belong to companies, identified by id. */
export type CompanyIdTable = Table<{ readonly company: 'LowCardinality(String)' }>

/** Options of a read. */
export interface ReadOptions {
  /** Reads only the newest version of each row. */
  readonly final?: boolean
  /** Arrays to unfold by an ARRAY JOIN. */
  readonly unfold?: readonly Sql[]
  /** Whether the unfolded arrays of a row may differ in length: shorter ones are padded with 0. By default this is an error. */
  readonly isPadded?: boolean
  /**
   * Condition of few rows on a column of the sorting key, which is read before the others: the other columns are read for
   * these rows only. Not with `final`.
   */
  readonly first?: Sql
  /** Conditions besides that of the company; all must be true. */
  readonly where?: readonly Sql[]
}

/** A relation with the columns of a table, including `company`: documents that are not stored yet. */
export interface DerivedTable {
  readonly relation: Sql
}

/**
 * Returns the FROM clause of a company's rows, with its WHERE: every read of a company's table uses it. The column is
 * qualified with its table, because `company` alone could mean an alias of the SELECT.
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
 * Returns the FROM clause of rows of several companies, or of all, with the reason for the read. Only for processors,
 * whose partitions contain machines of all companies. A test lists the callers, and a guarded store rejects it.
 */
export function fromAll(table: CompanyTable | CompanyIdTable, why: string, reading: ReadOptions = {}): Sql {
  return marked(table.name, { all: why }, name => clause(name, reading, []))
}

/** Returns the FROM clause of a table without companies. */
export function fromShared<C extends TableColumns & { readonly company?: never }>(
  table: Table<C>,
  reading: ReadOptions = {},
): Sql {
  return marked(table.name, 'shared', name => clause(name, reading, []))
}

/** Returns the condition that the row belongs to one of these machines. */
export function ofMachines(machines: readonly MachineRef[]): Sql {
  return sql`machine IN ${array(uint32, machines)}`
}

/** Returns the condition that all of these are true; each is in parentheses, so that it may be an alternative. */
export function allOf(conditions: readonly Sql[]): Sql {
  return join(conditions.map(enclosed), sql` AND `)
}

/** Returns a WHERE clause of all conditions; empty if there are none. */
export function whereAll(conditions: readonly Sql[]): Sql {
  return conditions.length > 0 ? sql`WHERE ${allOf(conditions)}` : empty
}

function clause(
  source: Sql,
  { final = false, unfold = [], isPadded = false, first, where = [] }: ReadOptions,
  own: readonly Sql[],
): Sql {
  const newest = final ? sql` FINAL` : empty
  const unfolded = unfold.length > 0 ? sql` ARRAY JOIN ${join(unfold.map(columnsAlone))}` : empty
  const settings = isPadded ? sql` SETTINGS enable_unaligned_array_join = 1` : empty
  const before = first ? sql` PREWHERE ${enclosed(first)}` : empty
  return sql`FROM ${source}${newest}${unfolded}${before} ${whereAll([...own, ...where])}${settings}`
}
