import { array, empty, ident, int64, join, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { type Combine, type SumName, sums } from '../../../schema/sums.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { KeyName } from '../columns.ts'
import {
  type Carried,
  isOneOf,
  keySql,
  ofCompany,
  pieceConditions,
  rowsOfDays,
  rowsOfHours,
  rowsOfSlots,
  unionAll,
  whereAll,
} from '../sql.ts'
import { slotsOf } from '../range.ts'
import type { Plan } from './plan.ts'
import {
  type ArrayColumn,
  cutHourSources,
  daySources,
  type Source,
  type SourceTable,
  wholeHourSources,
} from './sources.ts'
import { type DimensionColumn, type PieceColumn, type Quantity, quantities, sumColumns } from './sum-columns.ts'
import { type LookedUp, lookUpRuns } from '../look-up-runs.ts'

/** Pure: the same plan is the same SQL. One row per combination of `keyNames`; sums are Float64, an infinity where an extreme is over nothing. */
export function compile(plan: Plan, carried: Carried | null = null): Sql {
  const keys = keyNames(plan)
  const columns = [
    ...keys.map(name => keySql[name](plan)),
    ...plan.sums.map(name => sql`${valueOf(name)} AS ${ident(`sum_${name}`)}`),
  ]
  const groups = keys.map(name => ident(`k_${name}`))
  const grouping = groups.length > 0 ? sql`GROUP BY ${join(groups)}` : empty
  return sql`${withWorth(plan)}
SELECT ${join(columns)}
FROM (${join(pieces(plan, carried), unionAll)})
${whereAll(filterConditions(plan))}
${grouping}`
}

function valueOf(name: SumName): Sql {
  const combine = sums[name]
  const value = sql`toFloat64(${sumColumns[name].sql})`
  return combine === 'add' ? value : sql`ifNull(${value}, ${overNothing[combine]})`
}

const overNothing = { min: sql`inf`, max: sql`-inf` } as const satisfies Record<Exclude<Combine, 'add'>, Sql>

/** What the pieces' runs are worth now. */
function withWorth(plan: Plan): Sql {
  const aliases = [
    ...lookUpRuns(lookedUp(plan), plan),
    ...plan.worth.columns.map(({ name, sql: value }) => sql`${value} AS ${ident(name)}`),
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

function lookedUp({ keys, worth }: Plan): readonly LookedUp[] {
  return [...new Set([...(keys.operation ? (['operation'] as const) : []), ...worth.looked])]
}

export function keyNames({ keys }: Plan): readonly KeyName[] {
  return [
    ...(keys.cell ? (['cell'] as const) : []),
    ...(keys.machine === 'no' ? [] : (['machine'] as const)),
    ...(keys.shift ? (['shift'] as const) : []),
    ...(keys.run ? (['run'] as const) : []),
    ...(keys.operation ? (['operation'] as const) : []),
    ...(keys.operators ? (['ops'] as const) : []),
  ]
}

/** One SELECT per source that gives something wanted, all with the same columns. */
function pieces(plan: Plan, carried: Carried | null): readonly Sql[] {
  const { split, range, plannedReasons, staleDays } = plan
  const wanted = wantedColumns(plan)
  const gives = ({ columns }: Source) => quantities.some(name => wanted.has(name) && columns[name])
  const selects = (sources: readonly Source[], conditions: readonly Sql[], from = stored) =>
    sources.filter(gives).map(source => select(source, from(source.table), wanted, conditions))
  return [
    ...(split.days.length > 0 ? selects(daySources(plannedReasons), dayConditions(plan)) : []),
    ...staleDays.flatMap(({ day, machines }) =>
      selects(wholeHourSources(day, plannedReasons), [...hourConditions(plan, day, carried), isOneOf(machines)]),
    ),
    ...split.whole.flatMap(whole =>
      selects(wholeHourSources(whole, plannedReasons), hourConditions(plan, whole, carried)),
    ),
    ...(split.cut.length > 0 ? selects(cutHourSources(split.cut, plannedReasons), cutConditions(plan, carried)) : []),
    ...(carried
      ? selects(
          cutHourSources([range], plannedReasons),
          ofCompany(plan.company, plan.filters.machines),
          () => sql`(${carried})`,
        )
      : []),
  ]
}

function stored(table: SourceTable): Sql {
  return sql`${ident(table)} FINAL`
}

function select(source: Source, from: Sql, wanted: ReadonlySet<PieceColumn>, conditions: readonly Sql[]): Sql {
  const names = [...wanted]
  const reads = names.flatMap(name => source.columns[name] ?? [])
  const where = source.where ? [source.where] : []
  const arrays = [...new Set([...reads, ...where].flatMap((read): readonly ArrayColumn[] => read.arrays))]
  const columns = names.map(name => sql`${source.columns[name]?.sql ?? nothing[nature(name)]} AS ${ident(name)}`)
  return sql`
  SELECT machine, ${join(columns)}
  FROM ${from} ARRAY JOIN ${join(arrays.map(name => ident(name)))}
  ${whereAll([...conditions, ...where.map(read => read.sql)])}`
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
    ...(keys.operators || filters.operators ? (['ops'] as const) : []),
  ]
  return new Set([...dimensions, ...sums.flatMap((name): readonly PieceColumn[] => sumColumns[name].pieces)])
}

/** Which rows of `days` the plan reads. */
function dayConditions({ company, filters, split, staleDays }: Plan): readonly Sql[] {
  return [
    ...rowsOfDays({ company, machines: filters.machines }, split.days),
    ...staleDays.map(({ day, machines }) => sql`NOT (start_ms = ${int64(day.startMs)} AND ${isOneOf(machines)})`),
  ]
}

function hourConditions({ company, filters }: Plan, range: TimeRange, carried: Carried | null): readonly Sql[] {
  return rowsOfHours({ company, machines: filters.machines }, range, carried)
}

function cutConditions({ company, filters, split }: Plan, carried: Carried | null): readonly Sql[] {
  return rowsOfSlots({ company, machines: filters.machines }, split.cut.flatMap(slotsOf), carried)
}

/** Which pieces of those rows count. */
function filterConditions({ filters }: Plan): readonly Sql[] {
  const { operators } = filters
  return [...pieceConditions(filters), ...(operators ? [operatorCondition(operators)] : [])]
}

function operatorCondition(operators: readonly number[]): Sql {
  const anyOf = sql`hasAny(ops, ${array(
    uint32,
    operators.filter(ref => ref !== 0),
  )})`
  return operators.includes(0) ? sql`(${anyOf} OR empty(ops))` : anyOf
}
