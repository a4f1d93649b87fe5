import { ident, join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { KeyName } from '../columns.ts'
import {
  type Provisional,
  type DocumentTable,
  type Elements,
  fromProvisional,
  fromHours,
  keySql,
  unionAll,
} from '../sql.ts'
import type { EventPlan } from './plan.ts'

/** Which documents are read: those of hours that the range touches. */
export interface DocumentScope extends Pick<EventPlan, 'company'> {
  readonly range: TimeRange
  /** Refs; null: all. */
  readonly machines: readonly number[] | null
}

/** A SELECT over documents: the stored ones, and in place of those that are missing the provisional ones. */
export function overDocuments(
  table: DocumentTable,
  { company, range, machines }: DocumentScope,
  provisional: Provisional | null,
  elements: Elements,
  select: (from: Sql) => Sql,
): Sql {
  const scope = { company, machines }
  const stored = select(fromHours(table, scope, range, provisional, elements))
  return provisional ? join([stored, select(fromProvisional(scope, provisional, elements))], unionAll) : stored
}

/** The key columns of pieces, all of one list: 0 where rows aren't told apart by one. */
export function keyColumns(plan: EventPlan, names: readonly (KeyName & keyof typeof isKept)[]): Sql {
  return join(names.map(name => (isKept[name](plan) ? keySql[name](plan) : zeroKey(name))))
}

const isKept = {
  cell: ({ keys }: EventPlan) => keys.cell,
  machine: ({ keys }: EventPlan) => keys.machine !== 'no',
  shift: ({ keys }: EventPlan) => keys.shift,
  run: ({ keys }: EventPlan) => keys.run,
  operation: ({ keys }: EventPlan) => keys.operation,
} as const

function zeroKey(name: KeyName): Sql {
  return sql`toUInt32(0) AS ${ident(`k_${name}`)}`
}
