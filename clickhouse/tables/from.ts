import { array, empty, join, sql, str, uint32, type Sql } from '../sql/sql.ts'
import { type Columns, identifier, type Table } from './table.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** A table whose rows belong to companies, told by `ref`. */
export type CompanyTable = Table<{ readonly company: 'UInt32' }>
/** A table whose rows belong to companies, told by id. */
export type CompanyIdTable = Table<{ readonly company: 'LowCardinality(String)' }>

/** Options of a read: which rows, and how. */
export interface Reading {
  /** The newest version of each row alone. */
  readonly final?: boolean
  /** Arrays to be unfolded: an ARRAY JOIN. */
  readonly unfold?: readonly Sql[]
  /** All of them must hold, beside that of the company. */
  readonly where?: readonly Sql[]
}

/** A relation with the columns of a table, `company` among them: documents that are not stored yet. */
export interface Relation {
  readonly relation: Sql
}

/** The FROM clause of a company's rows, up to its WHERE: no read of a company's table is written otherwise. */
export function from(table: CompanyTable | Relation, companyRef: CompanyRef, reading?: Reading): Sql
export function from(table: CompanyIdTable, companyId: string, reading?: Reading): Sql
export function from(table: Table | Relation, company: number | string, reading: Reading = {}): Sql {
  const own = sql`company = ${typeof company === 'number' ? uint32(company) : str(company)}`
  return clause(table, { ...reading, where: [own, ...(reading.where ?? [])] })
}

/**
 * The FROM clause of the rows of several companies, or of all. For the processors, whose partitions hold machines of all companies;
 * a test lists who calls it.
 */
export function fromAll(table: CompanyTable | CompanyIdTable, reading: Reading = {}): Sql {
  return clause(table, reading)
}

/** The FROM clause of a table that belongs to no company. */
export function fromShared<C extends Columns & { readonly company?: never }>(
  table: Table<C>,
  reading: Reading = {},
): Sql {
  return clause(table, reading)
}

/** Condition: the row is of one of these machines, by `ref`. */
export function ofMachines(machines: readonly MachineRef[]): Sql {
  return sql`machine IN ${array(uint32, machines)}`
}

/** A WHERE of all the conditions; empty for none. */
export function whereAll(conditions: readonly Sql[]): Sql {
  return conditions.length > 0 ? sql`WHERE ${join(conditions, sql` AND `)}` : empty
}

function clause(table: Table | Relation, { final = false, unfold = [], where = [] }: Reading): Sql {
  const source = 'relation' in table ? sql`(${table.relation})` : identifier(table.name)
  const newest = final && !('relation' in table) ? sql` FINAL` : empty
  const unfolded = unfold.length > 0 ? sql` ARRAY JOIN ${join(unfold)}` : empty
  return sql`FROM ${source}${newest}${unfolded} ${whereAll(where)}`
}
