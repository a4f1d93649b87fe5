import { array, empty, ident, int64, join, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { type Combine, type SumName, sums } from '../../../schema/sums.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { KeyName } from '../columns.ts'
import {
  type Provisional,
  type Elements,
  fromProvisional,
  fromDays,
  fromHours,
  fromSlots,
  keySql,
  pieceConditions,
  unionAll,
} from '../sql.ts'
import { ofMachines, whereAll } from '../../../clickhouse/tables/from.ts'
import { identifier } from '../../../clickhouse/tables/table.ts'
import { slotsOf } from '../range.ts'
import type { Plan, StaleDay } from './plan.ts'
import {
  type ArrayColumn,
  cutHourSources,
  daySources,
  type Source,
  type SourceTable,
  wholeHourSources,
} from './sources.ts'
import { type DimensionColumn, type PieceColumn, type Quantity, quantities, sumColumns } from './sum-columns.ts'
import { type LookedUp, lookUpRuns } from '../job-run-lookup.ts'

/** Pure: the same plan is the same SQL. One row per combination of `keyNames`; sums are Float64, an infinity where an extreme is over nothing. */
export function compile(plan: Plan, provisional: Provisional | null = null): Sql {
  const keys = keyNames(plan)
  const columns = [
    ...keys.map(name => keySql[name](plan)),
    ...plan.sums.map(name => sql`${valueOf(name)} AS ${ident(`sum_${name}`)}`),
  ]
  const groups = keys.map(name => ident(`k_${name}`))
  const grouping = groups.length > 0 ? sql`GROUP BY ${join(groups)}` : empty
  return sql`${withStandards(plan)}
SELECT ${join(columns)}
FROM (${join(pieces(plan, provisional), unionAll)})
${whereAll(filterConditions(plan))}
${grouping}`
}

function valueOf(name: SumName): Sql {
  const combine = sums[name]
  const value = sql`toFloat64(${sumColumns[name].sql})`
  return combine === 'add' ? value : sql`ifNull(${value}, ${overNothing[combine]})`
}

const overNothing = { min: sql`inf`, max: sql`-inf` } as const satisfies Record<Exclude<Combine, 'add'>, Sql>

/** The job standards that hold for the pieces now. */
function withStandards(plan: Plan): Sql {
  const aliases = [
    ...lookUpRuns(lookedUp(plan), plan),
    ...plan.standards.columns.map(({ name, sql: value }) => sql`${value} AS ${ident(name)}`),
  ]
  return aliases.length === 0
    ? empty
    : sql`
WITH ${join(
        aliases,
        sql`,
  `,
      )}`
}

function lookedUp({ keys, standards }: Plan): readonly LookedUp[] {
  return [...new Set([...(keys.operation ? (['operation'] as const) : []), ...standards.looked])]
}

/** Names of the columns of the answer, in its order. */
export function answerColumns(plan: Plan): readonly string[] {
  return [...keyNames(plan).map(name => `k_${name}`), ...plan.sums.map(name => `sum_${name}`)]
}

export function keyNames({ keys }: Plan): readonly KeyName[] {
  return [
    ...(keys.cell ? (['cell'] as const) : []),
    ...(keys.machine === 'no' ? [] : (['machine'] as const)),
    ...(keys.shift ? (['shift'] as const) : []),
    ...(keys.run ? (['run'] as const) : []),
    ...(keys.operation ? (['operation'] as const) : []),
    ...(keys.operators ? (['operators'] as const) : []),
  ]
}

/** One SELECT per source that gives something wanted, all with the same columns. */
function pieces(plan: Plan, provisional: Provisional | null): readonly Sql[] {
  const { split, range, plannedReasons, staleDays } = plan
  const wanted = wantedColumns(plan)
  const rows = { company: plan.company, machines: plan.filters.machines }
  const gives = ({ columns }: Source) => quantities.some(name => wanted.has(name) && columns[name])
  const selects = <T extends SourceTable>(sources: readonly Source<T>[], read: (table: T, elements: Elements) => Sql) =>
    sources.filter(gives).map(source => select(source, wanted, elements => read(source.table, elements)))
  const ofHours = (machines: readonly number[] | null, range: TimeRange) =>
    selects(wholeHourSources(range, plannedReasons), (table, elements) =>
      fromHours(table, { ...rows, machines }, range, provisional, elements),
    )
  return [
    ...(split.days.length > 0
      ? selects(daySources(plannedReasons), (_, elements) =>
          fromDays(rows, split.days, withoutStale(staleDays, elements)),
        )
      : []),
    ...staleDays.flatMap(({ day, machines }) => ofHours(machines, day)),
    ...split.whole.flatMap(whole => ofHours(rows.machines, whole)),
    ...(split.cut.length > 0
      ? selects(cutHourSources(split.cut, plannedReasons), (table, elements) =>
          fromSlots(table, rows, split.cut.flatMap(slotsOf), provisional, elements),
        )
      : []),
    ...(provisional
      ? selects(cutHourSources([range], plannedReasons), (_, elements) => fromProvisional(rows, provisional, elements))
      : []),
  ]
}

/** Machines whose document of a day is being made again are read from hours. */
function withoutStale(staleDays: readonly StaleDay[], { unfold, where = [] }: Elements): Elements {
  const others = staleDays.map(
    ({ day, machines }) => sql`NOT (start_ms = ${int64(day.startMs)} AND ${ofMachines(machines)})`,
  )
  return { ...(unfold && { unfold }), where: [...where, ...others] }
}

function select(source: Source, wanted: ReadonlySet<PieceColumn>, read: (elements: Elements) => Sql): Sql {
  const names = [...wanted]
  const reads = names.flatMap(name => source.columns[name] ?? [])
  const where = source.where ? [source.where] : []
  const arrays = [...new Set([...reads, ...where].flatMap((each): readonly ArrayColumn[] => each.arrays))]
  const columns = names.map(name => sql`${source.columns[name]?.sql ?? nothing[nature(name)]} AS ${ident(name)}`)
  return sql`
  SELECT machine, ${join(columns)}
  ${read({ unfold: arrays.map(identifier), where: where.map(each => each.sql) })}`
}

const nothing = { ms: sql`toUInt32(0)`, parts: sql`0.` }

/** What a quantity that a source doesn't give is made of. */
function nature(name: PieceColumn): keyof typeof nothing {
  const ofParts: readonly PieceColumn[] = ['parts', 'adjusted', 'scrap', 'nonconform'] satisfies readonly Quantity[]
  return ofParts.includes(name) ? 'parts' : 'ms'
}

function wantedColumns(plan: Plan): ReadonlySet<PieceColumn> {
  const { keys, sums, filters } = plan
  const dimensions: DimensionColumn[] = [
    ...(keys.cell ? (['at'] as const) : []),
    ...(keys.shift || filters.shifts ? (['shift'] as const) : []),
    ...(keys.run || filters.runs || lookedUp(plan).length > 0 ? (['run'] as const) : []),
    ...(keys.operators || filters.operators ? (['operators'] as const) : []),
  ]
  return new Set([...dimensions, ...sums.flatMap((name): readonly PieceColumn[] => sumColumns[name].pieces)])
}

/** Which pieces of those rows count. */
function filterConditions({ filters }: Plan): readonly Sql[] {
  const { operators } = filters
  return [...pieceConditions(filters), ...(operators ? [operatorCondition(operators)] : [])]
}

function operatorCondition(operators: readonly number[]): Sql {
  const anyOf = sql`hasAny(operators, ${array(
    uint32,
    operators.filter(ref => ref !== 0),
  )})`
  return operators.includes(0) ? sql`(${anyOf} OR empty(operators))` : anyOf
}
