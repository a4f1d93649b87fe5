import { array, ident, join, type Sql, sql, uint32 } from '../../../clickhouse/sql.ts'
import { within } from '../../../clickhouse/time-bounds.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs } from '../../../schema/document.ts'
import type { KeyName } from '../columns.ts'
import { type Carried, keySql, unionAll, type DocumentTable } from '../sql.ts'
import type { RecordPlan } from './plan.ts'

/** Start of a document's hour, UTC ms. */
export const slotMs = sql`toInt64(toUnixTimestamp(slot)) * 1000`

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
  const ofRow = [sql`company = ${uint32(company)}`, ...(machines ? [sql`machine IN ${array(uint32, machines)}`] : [])]
  const [firstMs, endMs] = [Math.floor(range.startMs / hourMs) * hourMs, Math.ceil(range.endMs / hourMs) * hourMs]
  const inHours = [...ofRow, within(sql`slot`, firstMs, endMs)]
  const stored = sql`${ident(table)} FINAL`
  if (!carried) return select(stored, inHours)
  // What has been written since doesn't count twice.
  const elsewhere = sql`(machine, slot) NOT IN (SELECT machine, slot FROM (${carried}))`
  return join([select(stored, [...inHours, elsewhere]), select(sql`(${carried})`, ofRow)], unionAll)
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
} as const

function zeroKey(name: KeyName): Sql {
  return sql`toUInt32(0) AS ${ident(`k_${name}`)}`
}

/** Conditions of the filters on pieces that have the columns. */
export function pieceConditions({ shifts, runs }: RecordPlan['filters']): readonly Sql[] {
  return [
    ...(shifts ? [sql`shift IN ${array(uint32, shifts)}`] : []),
    ...(runs ? [sql`run IN ${array(uint32, runs)}`] : []),
  ]
}

/** All of the conditions as one expression. */
export function every(conditions: readonly Sql[]): Sql {
  return conditions.length > 0 ? join(conditions, sql` AND `) : sql`1`
}
