import type { CompanyView } from '../company/company-view.ts'
import { buildProvisionalDocuments, type ProvisionalDeps } from '../sources/provisional-documents.ts'
import { documentColumns, documentLine } from '../../../clickhouse/documents/document-rows.ts'
import { fromStoredHours, type HourKeys, keysAt, keysTouching } from '../../../clickhouse/tables/stored-hours.ts'
import { array, int64, join, second, type Sql, sql, str, uint32, empty, ident } from '../../../clickhouse/sql/sql.ts'
import { within } from '../../../clickhouse/sql/time-bounds.ts'
import { days, hours } from '../../../clickhouse/tables/documents.ts'
import { from, ofMachines, type ReadOptions, type DerivedTable } from '../../../clickhouse/tables/from.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { HourDocument } from '../../../schema/document.ts'
import { dayMs } from '../../../shared/time/units.ts'
import { type RefFilters, type ReportPlan, keyNames, type Choice } from '../plan/plan.ts'
import type { Sources } from '../sources/sources.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'
import type { KeyName, QueryContext } from '../query/query.ts'

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
  { companyRef, filters }: Pick<ReportPlan, 'companyRef'> & { readonly filters: Pick<RefFilters, 'machines'> },
  { provisional }: Pick<Sources, 'provisional'>,
): DocumentScope {
  return {
    companyRef,
    machines: filters.machines,
    provisional: provisional.length > 0 ? relationOf(provisional) : null,
  }
}

/** The view and the store from which documents are read. */
export interface DocumentReads extends ProvisionalDeps, QueryContext {
  readonly view: CompanyView
}

/** Reads which documents of a range exist, and computes missing ones. Rejects as `buildProvisionalDocuments`. */
export async function readScope(
  range: TimeRange,
  machines: readonly MachineRef[] | null,
  reads: DocumentReads,
): Promise<DocumentScope> {
  const companyRef = reads.view.company.ref
  const provisional = (await buildProvisionalDocuments({ companyRef, range, machines }, reads.view, reads)) ?? []
  return documentScope({ companyRef, filters: { machines } }, { provisional })
}

function relationOf(documents: readonly HourDocument[]): DerivedTable {
  const lines = documents.map(document => documentLine({ ...document, version: 0n }))
  return { relation: sql`SELECT * FROM format(JSONCompactEachRow, ${str(structure)}, ${str(lines.join('\n'))})` }
}

const structure = documentColumns.map(name => `${name} ${hours.columns[name]}`).join(', ')

/** Arrays to unfold, and further conditions. */
export type Elements = Pick<ReadOptions, 'unfold' | 'isPadded' | 'where'>

/** Elements of the rows of `days` with exactly these bounds: there may be days of another calendar, of the same dates. */
export function fromDays(
  { companyRef, machines }: DocumentScope,
  shopDays: readonly TimeRange[],
  elements: Elements,
): Sql {
  const starts = shopDays.map(({ startMs }) => startMs)
  const ends = shopDays.map(({ endMs }) => endMs)
  const [firstMs, lastMs] = [Math.min(...starts), Math.max(...ends)]
  const where = [
    ...isOneOf(machines),
    // Rows are stored in the order of shop_date, so this bounds what is read; a shop day lies within a day of its date.
    sql`shop_date BETWEEN toDate32(${second(firstMs - dayMs)}) AND toDate32(${second(lastMs + dayMs)})`,
    sql`start_ms IN ${array(int64, starts)} AND end_ms IN ${array(int64, ends)}`,
    ...(elements.where ?? []),
  ]
  return from(days, companyRef, { ...elements, final: true, where })
}

/** Start of a document's hour, UTC ms. */
export const slotMs = sql`toInt64(toUnixTimestamp(slot)) * 1000`

/** Elements of the stored hours that the ranges touch. */
export function fromHours(scope: DocumentScope, ranges: readonly TimeRange[], elements: Elements): Sql {
  const touched = ranges.map(({ startMs, endMs }) => keysTouching(startMs, endMs, scope.machines))
  const conditions = touched.map(({ fromMs, toMs }) => sql`(${within(sql`slot`, fromMs, toMs)})`)
  const inAny = join(conditions, sql` OR `)
  const fromMs = Math.min(...touched.map(range => range.fromMs))
  const toMs = Math.max(...touched.map(range => range.toMs))
  const where = touched.length > 1 ? [inAny] : []
  return fromStored(scope, { fromMs, toMs, machines: scope.machines, where }, elements)
}

/** Elements of the stored rows of exactly these hours, by their starts, UTC ms. */
export function fromSlots(scope: DocumentScope, slots: readonly number[], elements: Elements): Sql {
  return fromStored(scope, keysAt(slots, scope.machines), elements)
}

/** Elements of stored rows, without documents that have a provisional one: they were written after it. */
export function fromStored({ companyRef, provisional }: DocumentScope, keys: HourKeys, elements: Elements): Sql {
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

/** Conditions of the filters by shift and run, on elements that have the columns. */
export function elementConditions({ shifts, runs }: Pick<RefFilters, 'shifts' | 'runs'>): readonly Sql[] {
  return [
    ...(shifts ? [sql`shift IN ${array(uint32, shifts)}`] : []),
    ...(runs ? [sql`run IN ${array(uint32, runs)}`] : []),
  ]
}

/** Condition for the rows of these machines; null: of all. */
function isOneOf(machines: readonly MachineRef[] | null): readonly Sql[] {
  return machines ? [ofMachines(machines)] : []
}

type KeyScope = Pick<ReportPlan, 'keys' | 'cellsMs'>

/** SQL of each key, over elements that have its columns; `at` is the second in which the cell of an element begins. */
const keySql: Readonly<Record<KeyName, (plan: KeyScope) => Sql>> = {
  // The last bound up to the start of the cell: each bound is the start of a cell.
  cell: ({ cellsMs }) => sql`toUInt32(roundDown(at, ${seconds(cellsMs)}))`,
  machine: ({ keys: { machine, machineGroupSets: sets } }) =>
    machine === 'set'
      ? sql`transform(machine, ${array(uint32, [...sets.keys()])}, ${array(uint32, [...sets.values()])}, toUInt32(0))`
      : sql`machine`,
  shift: () => sql`shift`,
  run: () => sql`run`,
  operation: () => sql`run_operation`,
  operators: () => sql`operators`,
  reason: () => sql`reason`,
  state: () => sql`level`,
  nativeCode: () => sql`native`,
}

/** The key columns of elements, each as `k_<name>`. */
export function keyColumns(plan: KeyScope, names = keyNames(plan)): readonly Sql[] {
  return names.map(name => sql`${keySql[name](plan)} AS ${keyColumn(name)}`)
}

export function keyColumn(name: KeyName): Sql {
  return ident(`k_${name}`)
}

/** A GROUP BY of groups with rows: with constant columns, the engine may return one group without rows. */
export function groupedBy(columns: readonly Sql[]): Sql {
  return columns.length > 0 ? sql`GROUP BY ${join(columns)} HAVING count() > 0` : empty
}

/** Instants (UTC ms) as an array of seconds. */
export function seconds(instantsMs: readonly number[]) {
  const inSeconds = instantsMs.map(ms => ms / 1000)
  return array(uint32, inSeconds)
}

/** Conditions for the chosen values of a column. */
export function chosen<T>(
  { only, not }: Choice<T>,
  column: Sql,
  values: (of: readonly T[]) => Parameters<typeof sql>[1],
): readonly Sql[] {
  return [
    ...(only ? [sql`${column} IN ${values(only)}`] : []),
    ...(not.length > 0 ? [sql`${column} NOT IN ${values(not)}`] : []),
  ]
}
