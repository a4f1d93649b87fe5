import { array, empty, ident, join, second, type Sql, sql, uint32 } from '../../clickhouse/sql.ts'
import { hourMs } from '../../schema/document.ts'
import type { TimeRange } from '../../processors/calendar/types.ts'
import { type DimensionColumn, measures, type PieceColumn, type Quantity, quantities } from './measures.ts'
import type { Plan } from './plan.ts'
import { type ArrayColumn, cutHourSources, type Source, type SourceTable, wholeHourSources } from './sources.ts'

/** Names of the columns that tell rows apart, in the order selected; the plan's measures follow. */
export type KeyName = 'cell' | 'machine' | 'shift' | 'run' | 'ops'

/** Documents that the store doesn't have, as a relation with the columns of both `cycle_states` and `part_states`. */
export type Carried = Sql

/** Pure: the same plan is the same SQL. One row per combination of `keyNames`, in no particular order; measures are Float64. */
export function compile(plan: Plan, carried: Carried | null = null): Sql {
  const keys = keyNames(plan)
  const columns = [
    ...keys.map(name => keySql[name](plan)),
    ...plan.measures.map(name => sql`toFloat64(${measures[name].sql}) AS ${ident(`m_${name}`)}`),
  ]
  const groups = keys.map(name => ident(`k_${name}`))
  const grouping = groups.length > 0 ? sql`GROUP BY ${join(groups)}` : empty
  return sql`
SELECT ${join(columns)}
FROM (${join(pieces(plan, carried), unionAll)})
${whereAll(filterConditions(plan))}
${grouping}`
}

export const unionAll = sql`
  UNION ALL`

export function keyNames({ keys }: Plan): readonly KeyName[] {
  return [
    ...(keys.cell ? (['cell'] as const) : []),
    ...(keys.machine === 'no' ? [] : (['machine'] as const)),
    ...(keys.shift ? (['shift'] as const) : []),
    ...(keys.run ? (['run'] as const) : []),
    ...(keys.operators ? (['ops'] as const) : []),
  ]
}

/** Of pieces that have these columns (`at` for the cell); each selected as `k_<name>`. */
export const keySql: Readonly<Record<KeyName, (plan: Pick<Plan, 'cellsMs' | 'keys'>) => Sql>> = {
  // The last bound not after the cell's start: every bound is the start of a cell.
  cell: ({ cellsMs }) => sql`toUInt32(roundDown(at, ${seconds(cellsMs)})) AS k_cell`,
  machine: ({ keys }) =>
    keys.machine === 'team' ? sql`${teamOf(keys.teams)} AS k_machine` : sql`machine AS k_machine`,
  shift: () => sql`shift AS k_shift`,
  run: () => sql`run AS k_run`,
  ops: () => sql`ops AS k_ops`,
}

function seconds(instantsMs: readonly number[]) {
  return array(
    uint32,
    instantsMs.map(ms => ms / 1000),
  )
}

function teamOf(teams: Plan['keys']['teams']): Sql {
  return sql`transform(machine, ${array(uint32, [...teams.keys()])}, ${array(uint32, [...teams.values()])}, toUInt32(0))`
}

/** One SELECT per source that gives something wanted, all with the same columns. */
function pieces(plan: Plan, carried: Carried | null): readonly Sql[] {
  const { split, range, plannedReasons } = plan
  const wanted = wantedColumns(plan)
  const gives = ({ columns }: Source) => quantities.some(name => wanted.has(name) && columns[name])
  const { whole, cut } = split
  const fromWhole = whole ? wholeHourSources(plannedReasons).filter(gives) : []
  const fromCut = cutHourSources(range, plannedReasons).filter(gives)
  return [
    ...fromWhole.map(source =>
      select(source, stored(source.table), wanted, hourConditions(plan, whole ? [whole] : [], carried)),
    ),
    ...(cut.length > 0
      ? fromCut.map(source => select(source, stored(source.table), wanted, hourConditions(plan, cut, carried)))
      : []),
    ...(carried ? fromCut.map(source => select(source, sql`(${carried})`, wanted, rowConditions(plan))) : []),
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

const nothing = { ms: sql`toUInt32(0)`, parts: sql`toFloat64(0)` }

/** What a quantity that a source doesn't give is made of. */
function nature(name: PieceColumn): keyof typeof nothing {
  const ofParts: readonly PieceColumn[] = ['parts', 'adjusted', 'scrap', 'nonconform'] satisfies readonly Quantity[]
  return ofParts.includes(name) ? 'parts' : 'ms'
}

function wantedColumns({ keys, measures: names, filters }: Plan): ReadonlySet<PieceColumn> {
  const dimensions: DimensionColumn[] = [
    ...(keys.cell ? (['at'] as const) : []),
    ...(keys.shift || filters.shifts ? (['shift'] as const) : []),
    ...(keys.run || filters.runs ? (['run'] as const) : []),
    ...(keys.operators || filters.operators ? (['ops'] as const) : []),
  ]
  return new Set([...dimensions, ...names.flatMap((name): readonly PieceColumn[] => measures[name].columns)])
}

/** Which rows of a table of hours are read. What was carried on doesn't count twice where it has been written since. */
function hourConditions(plan: Plan, ranges: readonly TimeRange[], carried: Carried | null): readonly Sql[] {
  const inRange = ({ startMs, endMs }: TimeRange) => {
    const first = second(Math.floor(startMs / hourMs) * hourMs)
    const end = second(Math.ceil(endMs / hourMs) * hourMs)
    // The date comes before the machine in the order of `hours`; the engine doesn't conclude it from the slot.
    return sql`(toDate(slot) BETWEEN toDate(${first}) AND toDate(${end}) AND slot >= ${first} AND slot < ${end})`
  }
  return [
    ...rowConditions(plan),
    sql`(${join(ranges.map(inRange), sql` OR `)})`,
    ...(carried ? [sql`(machine, slot) NOT IN (SELECT machine, slot FROM (${carried}))`] : []),
  ]
}

function rowConditions({ company, filters }: Plan): readonly Sql[] {
  return [
    sql`company = ${uint32(company)}`,
    ...(filters.machines ? [sql`machine IN ${array(uint32, filters.machines)}`] : []),
  ]
}

/** Which pieces of those rows count. */
function filterConditions({ filters }: Plan): readonly Sql[] {
  const { shifts, runs, operators } = filters
  return [
    ...(shifts ? [sql`shift IN ${array(uint32, shifts)}`] : []),
    ...(runs ? [sql`run IN ${array(uint32, runs)}`] : []),
    ...(operators ? [operatorCondition(operators)] : []),
  ]
}

function operatorCondition(operators: readonly number[]): Sql {
  const anyOf = sql`hasAny(ops, ${array(
    uint32,
    operators.filter(ref => ref !== 0),
  )})`
  return operators.includes(0) ? sql`(${anyOf} OR empty(ops))` : anyOf
}

export function whereAll(conditions: readonly Sql[]): Sql {
  return conditions.length > 0 ? sql`WHERE ${join(conditions, sql` AND `)}` : empty
}
