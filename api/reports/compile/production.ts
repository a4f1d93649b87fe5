import { array, empty, ident, int64, join, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { ofMachines, whereAll } from '../../../clickhouse/tables/from.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { type Combine, type SumName, sums } from '../../../schema/sums.ts'
import { keyNames } from '../plan/plan.ts'
import type { ProductionPlan } from '../plan/production.ts'
import { slotsOf, type Sources, type StaleDay } from '../sources/sources.ts'
import { type DimensionColumn, type ElementColumn, sumColumns } from '../sums/sum-columns.ts'
import {
  documentScope,
  type Elements,
  fromDays,
  fromHours,
  fromProvisional,
  fromSlots,
  unionAll,
  groupedBy,
  keyColumn,
  keyColumns,
  elementConditions,
} from './select.ts'
import { type RunColumnName, standardColumn, lookUpRuns } from './job-run-lookup.ts'
import { selectElements, cutHourSource, daySource, wholeHourSource } from './elements.ts'
import { type Query, resultColumns } from '../query/query.ts'

/** Pure. One row per combination of keys, then its sums: Float64, an infinity for an extreme over nothing. */
export function compileProduction(plan: ProductionPlan, sources: Sources): Query {
  const keys = keyNames(plan)
  const sums = plan.sums.map(name => sql`${valueOf(name)} AS ${ident(`sum_${name}`)}`)
  return {
    sql: sql`${withStandards(plan)}
SELECT ${join([...keyColumns(plan), ...sums])}
FROM (${join(elements(plan, sources), unionAll)})
${whereAll(filterConditions(plan))}
${groupedBy(keys.map(keyColumn))}`,
    columns: resultColumns(keys, ...plan.sums.map(name => `sum_${name}`)),
  }
}

function valueOf(name: SumName): Sql {
  const combine = sums[name]
  const value = sql`toFloat64(${sumColumns[name].sql})`
  return combine === 'add' ? value : sql`ifNull(${value}, ${overNothing[combine]})`
}

const overNothing = { min: sql`inf`, max: sql`-inf` } as const satisfies Record<Exclude<Combine, 'add'>, Sql>

/** The current job standards of the elements. */
function withStandards(plan: ProductionPlan): Sql {
  const aliases = [...lookUpRuns(runColumnsOf(plan), plan), ...plan.standards.map(standardColumn)]
  if (aliases.length === 0) return empty
  return sql`
WITH ${join(aliases, nextAlias)}`
}

const nextAlias = sql`,
  `

function runColumnsOf({ keys, standards }: ProductionPlan): readonly RunColumnName[] {
  const ofRuns = standards.flatMap(({ runColumn }) => runColumn ?? [])
  return keys.operation ? ['operation', ...ofRuns] : ofRuns
}

/** One SELECT per source with requested quantities, all with the same columns. */
function elements(plan: ProductionPlan, sources: Sources): readonly Sql[] {
  const { readRange, plannedReasons } = plan
  const { days, whole, cut, staleDays } = sources
  const scope = documentScope(plan, sources)
  const requested = requestedColumns(plan)
  const ofDays = (elements: Elements) => fromDays(scope, days, withoutStale(staleDays, elements))
  const ofHours = (ranges: readonly TimeRange[], machines = scope.machines) =>
    ranges.length > 0
      ? selectElements(wholeHourSource(ranges, plannedReasons), requested, elements =>
          fromHours({ ...scope, machines }, ranges, elements),
        )
      : null
  const ofCuts = (ranges: readonly TimeRange[], read: (elements: Elements) => Sql | null) =>
    ranges.length > 0 ? selectElements(cutHourSource(ranges, plannedReasons), requested, read) : null
  return [
    days.length > 0 ? selectElements(daySource(plannedReasons), requested, ofDays) : null,
    ...staleDays.map(({ day, machines }) => ofHours([day], machines)),
    ofHours(whole),
    ofCuts(cut, elements => fromSlots(scope, cut.flatMap(slotsOf), elements)),
    ofCuts([readRange], elements => fromProvisional(scope, elements)),
  ].filter(select => select !== null)
}

/** Machines whose day document is being rebuilt are read from hours. */
function withoutStale(staleDays: readonly StaleDay[], elements: Elements): Elements {
  const others = staleDays.map(
    ({ day, machines }) => sql`NOT (start_ms = ${int64(day.startMs)} AND ${ofMachines(machines)})`,
  )
  return { ...elements, where: [...(elements.where ?? []), ...others] }
}

function requestedColumns(plan: ProductionPlan): ReadonlySet<ElementColumn> {
  const { keys, sums, filters } = plan
  const dimensions: DimensionColumn[] = [
    ...(keys.cell ? (['at'] as const) : []),
    ...(keys.shift || filters.shifts ? (['shift'] as const) : []),
    ...(keys.run || filters.runs || runColumnsOf(plan).length > 0 ? (['run'] as const) : []),
    ...(keys.operators || filters.operators ? (['operators'] as const) : []),
  ]
  return new Set([...dimensions, ...sums.flatMap((name): readonly ElementColumn[] => sumColumns[name].columns)])
}

function filterConditions({ filters }: ProductionPlan): readonly Sql[] {
  const { operators } = filters
  return [...elementConditions(filters), ...(operators ? [operatorCondition(operators)] : [])]
}

function operatorCondition(operators: readonly number[]): Sql {
  const anyOf = sql`hasAny(operators, ${array(
    uint32,
    operators.filter(ref => ref !== 0),
  )})`
  return operators.includes(0) ? sql`(${anyOf} OR empty(operators))` : anyOf
}
