import { ident, int64, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
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
 * ref, and looking one up is an index into it: a third of the time of a join over a year of runs.
 */
export function lookUpRuns(names: readonly LookedUp[], scope: RunScope): readonly Sql[] {
  if (names.length === 0) return []
  const place = isDense(scope)
    ? [sql`assumeNotNull(${firstRun(scope)}) AS first_run`, sql`${runIndex} AS run_index`]
    : [sql`${refs(scope)} AS run_refs`]
  return [...place, ...names.flatMap(name => lookUp(name, scope))]
}

const runIndex = sql`if(run >= first_run, run - first_run + 1, 0)`

function lookUp(name: LookedUp, scope: RunScope): readonly Sql[] {
  const values = ident(`values_${name}`)
  const found = isDense(scope) ? sql`${values}[run_index]` : sql`transform(run, run_refs, ${values}, ${missing(name)})`
  return [
    sql`${isDense(scope) ? byRef(name, scope) : inOrder(name, scope)} AS ${values}`,
    sql`${isThreshold(name) ? threshold(name, found, scope) : found} AS ${ident(`run_${name}`)}`,
  ]
}

/** Times and multipliers of 0 count as missing, so 0 can stand for it; a threshold may be 0. */
function isThreshold(name: LookedUp): boolean {
  return name !== 'operation' && name !== 'multiplier' && !name.endsWith('_ms')
}

/** Outside of its values an array gives 0. */
function threshold(name: LookedUp, found: Sql, scope: RunScope): Sql {
  return isDense(scope) ? sql`if(run_index BETWEEN 1 AND length(${ident(`values_${name}`)}), ${found}, nan)` : found
}

function missing(name: LookedUp): Sql {
  if (name === 'operation') return sql`toUInt32(0)`
  return isThreshold(name) ? sql`nan` : sql`0.`
}

function valueOf(name: LookedUp): Sql {
  return name === 'operation' ? sql`operation` : sql`ifNull(toFloat64(${ident(name)}), ${missing(name)})`
}

function byRef(name: LookedUp, scope: RunScope): Sql {
  return sql`(
  SELECT groupArrayInsertAt(${missing(name)})(${valueOf(name)}, toUInt32(run - ${firstRun(scope)}))
  ${fromRuns(scope, true)})`
}

function firstRun(scope: RunScope): Sql {
  return sql`(SELECT min(run) ${fromRuns(scope, false)})`
}

function refs(scope: RunScope): Sql {
  return sql`(SELECT groupArray(run) FROM (SELECT run ${fromRuns(scope, true)} ORDER BY run))`
}

function inOrder(name: LookedUp, scope: RunScope): Sql {
  return sql`(SELECT groupArray(value) FROM (
  SELECT ${valueOf(name)} AS value ${fromRuns(scope, true)} ORDER BY run))`
}

/** Runs that have time in the range. `final`: the newest version of each alone. */
function fromRuns({ companyRef, range }: RunScope, final: boolean): Sql {
  const where = [sql`start_ms < ${int64(range.endMs)}`, sql`end_ms > ${int64(range.startMs)}`]
  return from(jobRuns, companyRef, { final, where })
}
