import { ident, int64, join, literalInteger, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { jobRuns } from '../../../clickhouse/tables/records.ts'
import type { ReportPlan } from '../plan/plan.ts'
import type { RunColumn } from '../sums/standards.ts'

/** Columns of `job_runs` that reports look up. */
export type LookedUp = 'operation' | RunColumn

/** The part of a plan that the lookup takes: only runs that have time in its range are looked up. */
type RunScope = Pick<ReportPlan, 'companyRef' | 'range'> & { readonly lastRun: number }

/** As many places as the engine lets `groupArrayInsertAt` fill. */
const mostRuns = 0xff_ff_ff

/** Whether the refs of all runs are below what one array can hold. */
function isDense({ lastRun }: RunScope): boolean {
  return lastRun <= mostRuns
}

/**
 * Aliases `run_<name>` of what a piece's `run` has in these columns of `job_runs`; 0 (of a threshold: nan) where there is no such run
 * or value, as to reckon with null takes the engine longer. Refs are given out one after the other, so the values lie in one array by
 * ref, and looking one up is an index into it: a third of the time of a join over a year of runs. All arrays come of one read of the
 * runs: to plan a further one takes the engine longer than to read a plant's runs. They lie in an array: out of a tuple the engine takes
 * them as single values, which is three times the time.
 */
export function lookUpRuns(names: readonly LookedUp[], scope: RunScope): readonly Sql[] {
  if (names.length === 0) return []
  const read = isDense(scope) ? byRef(names, scope) : inOrder(names, scope)
  const lookUp = isDense(scope) ? lookUpByRef : lookUpInOrder
  return [
    ...read,
    ...names.map((name, index) => sql`${typed(name, lookUp(name, element(index)))} AS ${ident(`run_${name}`)}`),
  ]
}

/** Array of the values of the name at this index, in what was read. What orders them stands before. */
function element(index: number): Sql {
  return sql`runs_read[${literalInteger(index + 2)}]`
}

/** Arrays by ref, from that of the first run on. */
function byRef(names: readonly LookedUp[], scope: RunScope): readonly Sql[] {
  return [
    sql`(
  SELECT array([toFloat64(least_run)], ${join(names.map(placed))})
  FROM (
    SELECT groupArray(run) AS runs, arrayMin(runs) AS least_run, arrayMap(ref -> toUInt32(ref - least_run), runs) AS run_places,
      ${join(names.map(gathered))}
    ${fromRuns(scope)})) AS runs_read`,
    sql`toUInt32(runs_read[1][1]) AS first_run`,
    sql`if(run >= first_run, run - first_run + 1, 0) AS run_index`,
  ]
}

/** Outside of its values an array gives 0. */
function lookUpByRef(name: LookedUp, values: Sql): Sql {
  const found = sql`${values}[run_index]`
  return isThreshold(name) ? sql`if(run_index BETWEEN 1 AND length(${values}), ${found}, nan)` : found
}

/** Arrays in the order of the refs, and the refs. */
function inOrder(names: readonly LookedUp[], scope: RunScope): readonly Sql[] {
  return [
    sql`(
  SELECT array(groupArray(toFloat64(run)), ${join(names.map(name => sql`groupArray(${valueOf(name)})`))})
  FROM (SELECT * ${fromRuns(scope)} ORDER BY run)) AS runs_read`,
    sql`CAST(runs_read[1], 'Array(UInt32)') AS run_refs`,
  ]
}

function lookUpInOrder(name: LookedUp, values: Sql): Sql {
  return sql`transform(run, run_refs, ${values}, ${missing(name)})`
}

/** Values at their refs' places: an array of `groupArrayInsertAt`, made at once of what one read gathered. */
function placed(name: LookedUp, index: number): Sql {
  const by = isThreshold(name) ? sql`'groupArrayInsertAt(nan)'` : sql`'groupArrayInsertAt(0.)'`
  return sql`arrayReduce(${by}, ${valuesName(index)}, run_places)`
}

function gathered(name: LookedUp, index: number): Sql {
  return sql`groupArray(${valueOf(name)}) AS ${valuesName(index)}`
}

function valuesName(index: number): Sql {
  return ident(`run_values_${index}`)
}

/** Times and multipliers of 0 count as missing, so 0 can stand for it; a threshold may be 0. */
function isThreshold(name: LookedUp): boolean {
  return name !== 'operation' && name !== 'multiplier' && !name.endsWith('_ms')
}

function missing(name: LookedUp): Sql {
  return isThreshold(name) ? sql`nan` : sql`0.`
}

/** All values as Float64, so that they lie in one array. */
function valueOf(name: LookedUp): Sql {
  return name === 'operation' ? sql`toFloat64(operation)` : sql`ifNull(toFloat64(${ident(name)}), ${missing(name)})`
}

/** An operation is a ref again. */
function typed(name: LookedUp, value: Sql): Sql {
  return name === 'operation' ? sql`toUInt32(${value})` : value
}

/** The newest versions of the runs that have time in the range. */
function fromRuns({ companyRef, range }: RunScope): Sql {
  const where = [sql`start_ms < ${int64(range.endMs)}`, sql`end_ms > ${int64(range.startMs)}`]
  return from(jobRuns, companyRef, { final: true, where })
}
