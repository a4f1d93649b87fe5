import { documentColumns, documentLine } from '../../../clickhouse/documents/document-rows.ts'
import { fromStoredHours, type HourKeys, keysAt, keysTouching } from '../../../clickhouse/tables/stored-hours.ts'
import { array, int64, join, second, type Sql, sql, str, uint32 } from '../../../clickhouse/sql/sql.ts'
import { within } from '../../../clickhouse/sql/time-bounds.ts'
import { days, hours } from '../../../clickhouse/tables/documents.ts'
import { from, ofMachines, type ReadOptions, type DerivedTable } from '../../../clickhouse/tables/from.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { HourDocument } from '../../../schema/document.ts'
import { dayMs } from '../../../shared/time/units.ts'
import type { RefFilters } from '../plan/filters.ts'
import type { ReportPlan } from '../plan/plan.ts'
import type { Sources } from '../sources/sources.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

/** The documents that a plan reads, as SQL names them. */
export interface DocumentScope {
  readonly companyRef: CompanyRef
  /** Refs; null: all. */
  readonly machines: readonly MachineRef[] | null
  /** Documents that the store does not have, with the columns of `hours`; null: it has all. */
  readonly provisional: DerivedTable | null
}

export const unionAll = sql`
  UNION ALL`

export function documentScope(
  { companyRef, filters }: Pick<ReportPlan, 'companyRef' | 'filters'>,
  { provisional }: Pick<Sources, 'provisional'>,
): DocumentScope {
  return {
    companyRef,
    machines: filters.machines,
    provisional: provisional.length > 0 ? relationOf(provisional) : null,
  }
}

function relationOf(documents: readonly HourDocument[]): DerivedTable {
  const lines = documents.map(document => documentLine({ ...document, version: 0n }))
  return { relation: sql`SELECT * FROM format(JSONCompactEachRow, ${str(structure)}, ${str(lines.join('\n'))})` }
}

const structure = documentColumns.map(name => `${name} ${hours.columns[name]}`).join(', ')

/** The part of rows that is read: arrays to be unfolded, and conditions that must hold beside those of the rows. */
export type Elements = Pick<ReadOptions, 'unfold' | 'isPadded' | 'where'>

/** Elements of the rows of `days` with exactly these bounds: there may be days of another calendar, of the same dates. */
export function fromDays(
  { companyRef, machines }: DocumentScope,
  shopDays: readonly TimeRange[],
  elements: Elements,
): Sql {
  const starts = array(
    int64,
    shopDays.map(({ startMs }) => startMs),
  )
  const ends = array(
    int64,
    shopDays.map(({ endMs }) => endMs),
  )
  const firstMs = Math.min(...shopDays.map(({ startMs }) => startMs))
  const lastMs = Math.max(...shopDays.map(({ endMs }) => endMs))
  const where = [
    ...isOneOf(machines),
    // Rows are stored in the order of shop_date, so this bounds what is read; a shop day lies within a day of its date.
    sql`shop_date BETWEEN toDate32(${second(firstMs - dayMs)}) AND toDate32(${second(lastMs + dayMs)})`,
    sql`start_ms IN ${starts} AND end_ms IN ${ends}`,
    ...(elements.where ?? []),
  ]
  return from(days, companyRef, { ...elements, final: true, where })
}

/** Start of a document's hour, UTC ms. */
export const slotMs = sql`toInt64(toUnixTimestamp(slot)) * 1000`

/** Elements of the stored hours that the ranges touch. */
export function fromHours(scope: DocumentScope, ranges: readonly TimeRange[], elements: Elements): Sql {
  const touched = ranges.map(({ startMs, endMs }) => keysTouching(startMs, endMs, scope.machines))
  const inAny = join(
    touched.map(({ fromMs, toMs }) => sql`(${within(sql`slot`, fromMs, toMs)})`),
    sql` OR `,
  )
  const keys = { ...boundsOf(touched), machines: scope.machines, where: touched.length > 1 ? [inAny] : [] }
  return fromStored(scope, keys, elements)
}

/** Elements of the stored rows of exactly these hours, by their starts, UTC ms. */
export function fromSlots(scope: DocumentScope, slots: readonly number[], elements: Elements): Sql {
  return fromStored(scope, keysAt(slots, scope.machines), elements)
}

function boundsOf(ranges: readonly { readonly fromMs: number; readonly toMs: number }[]) {
  return { fromMs: Math.min(...ranges.map(({ fromMs }) => fromMs)), toMs: Math.max(...ranges.map(({ toMs }) => toMs)) }
}

/**
 * Elements of stored rows. A stored document that has a provisional one beside it does not count: it was written after
 * that one was made.
 */
function fromStored({ companyRef, provisional }: DocumentScope, keys: HourKeys, elements: Elements): Sql {
  const isStored = provisional
    ? [sql`(machine, slot) NOT IN (SELECT machine, slot FROM (${provisional.relation}))`]
    : []
  return fromStoredHours(companyRef, keys, { ...elements, where: [...isStored, ...(elements.where ?? [])] })
}

/** Elements of the provisional documents; null: there are none. */
export function fromProvisional({ companyRef, machines, provisional }: DocumentScope, elements: Elements): Sql | null {
  const where = [...isOneOf(machines), ...(elements.where ?? [])]
  return provisional && from(provisional, companyRef, { ...elements, where })
}

/** A SELECT over documents of hours that the range touches: over the stored ones, and over the provisional ones. */
export function overHours(scope: DocumentScope, range: TimeRange, elements: Elements, select: (from: Sql) => Sql): Sql {
  const provisional = fromProvisional(scope, elements)
  const selects = [fromHours(scope, [range], elements), ...(provisional ? [provisional] : [])]
  return join(selects.map(select), unionAll)
}

/** Conditions of the filters by shift and run, on pieces that have the columns. */
export function pieceConditions({ shifts, runs }: Pick<RefFilters, 'shifts' | 'runs'>): readonly Sql[] {
  return [
    ...(shifts ? [sql`shift IN ${array(uint32, shifts)}`] : []),
    ...(runs ? [sql`run IN ${array(uint32, runs)}`] : []),
  ]
}

/** Condition for the rows of these machines; null: of all. */
function isOneOf(machines: readonly MachineRef[] | null): readonly Sql[] {
  return machines ? [ofMachines(machines)] : []
}
