import { ident, join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { KeyName } from '../columns.ts'
import { type Carried, type DocumentTable, keySql, ofCompany, rowsOfHours, unionAll } from '../sql.ts'
import type { RecordPlan } from './plan.ts'

/** Which documents are read: those of hours that the range touches. */
export interface DocumentScope extends Pick<RecordPlan, 'company'> {
  readonly range: TimeRange
  /** Refs; null: all. */
  readonly machines: readonly number[] | null
}

/** A SELECT over documents: the stored ones, and in place of those that are missing what was carried on. */
export function overDocuments(
  table: DocumentTable,
  { company, range, machines }: DocumentScope,
  carried: Carried | null,
  select: (from: Sql, where: readonly Sql[]) => Sql,
): Sql {
  const stored = select(sql`${ident(table)} FINAL`, rowsOfHours({ company, machines }, range, carried))
  return carried ? join([stored, select(sql`(${carried})`, ofCompany(company, machines))], unionAll) : stored
}

/** The key columns of pieces, all of one list: 0 where rows aren't told apart by one. */
export function keyColumns(plan: RecordPlan, names: readonly (KeyName & keyof typeof isKept)[]): Sql {
  return join(names.map(name => (isKept[name](plan) ? keySql[name](plan) : zeroKey(name))))
}

const isKept = {
  cell: ({ keys }: RecordPlan) => keys.cell,
  machine: ({ keys }: RecordPlan) => keys.machine !== 'no',
  shift: ({ keys }: RecordPlan) => keys.shift,
  run: ({ keys }: RecordPlan) => keys.run,
  operation: ({ keys }: RecordPlan) => keys.operation,
} as const

function zeroKey(name: KeyName): Sql {
  return sql`toUInt32(0) AS ${ident(`k_${name}`)}`
}

/** All of the conditions as one expression. */
export function every(conditions: readonly Sql[]): Sql {
  return conditions.length > 0 ? join(conditions, sql` AND `) : sql`1`
}
