import {
  array,
  float64,
  ident,
  int64,
  join,
  literalInteger,
  type Sql,
  sql,
  uint32,
} from '../../../clickhouse/sql/sql.ts'
import { fromNewestRuns } from '../../../clickhouse/projections/newest-runs.ts'
import type { ReportPlan } from '../plan/plan.ts'
import { isThreshold as isThresholdName, type JobStandard } from '../plan/production.ts'
import type { RunColumn } from '../sums/sum-columns.ts'

/** Columns of `job_runs` that reports look up. */
export type RunColumnName = 'operation' | RunColumn

/** Only runs with time in the range are looked up. */
type RunScope = Pick<ReportPlan, 'companyRef' | 'range'> & { readonly lastRun: number }

/** Maximum length of an array of `groupArrayInsertAt` in the engine. */
const maxRuns = 0xff_ff_ff

/** Whether the refs of all runs are below what one array can hold. */
function isDense({ lastRun }: RunScope): boolean {
  return lastRun <= maxRuns
}

/**
 * Aliases `run_<name>` for the columns of `job_runs` of an element's `run`; 0 (of a threshold: nan) if there is no run
 * or value, because null arithmetic is slower in the engine. The values are in one array, indexed by the distance of
 * the ref to the first ref: a third of the time of a join over a year of runs. If the refs span too wide a range, a
 * hash of the refs gives the index. One array holds all columns: planning another read of the runs takes longer than
 * reading them, and extracting an array from a tuple copies it for each block of rows.
 */
export function lookUpRuns(names: readonly RunColumnName[], scope: RunScope): readonly Sql[] {
  if (names.length === 0) return []
  const runIndex = isDense(scope)
    ? [sql`if(run >= first_run AND run < first_run + run_count, run - first_run + 1, 0) AS run_index`]
    : [
        sql`(SELECT arrayMap(ref -> toUInt32(ref), arraySlice(runs_read, 1 + ${startOf(names.length)}, run_count))) AS run_refs`,
        sql`transform(run, run_refs, (SELECT arrayEnumerate(run_refs)), toUInt32(0)) AS run_index`,
      ]
  return [
    runsRead(names, scope),
    sql`toUInt32(runs_read[1]) AS first_run`,
    sql`toUInt32(runs_read[2]) AS run_count`,
    ...runIndex,
    ...names.map((name, index) => runColumn(name, sql`runs_read[run_index + ${startOf(index)}]`)),
  ]
}

/** One array: first ref, number of indexes, the values of each name by index (0: without a run), refs if sparse. */
function runsRead(names: readonly RunColumnName[], scope: RunScope): Sql {
  const valuesOf = isDense(scope) ? atOffsets : asRead
  const columns = [
    ...names.map(valuesOf),
    ...(isDense(scope) ? [] : [sql`[0.], arrayMap(ref -> toFloat64(ref), runs)`]),
  ]
  const gathered = names.map((name, index) => sql`groupArray(${valueOf(name)}) AS ${gatheredName(index)}`)
  const count = isDense(scope) ? sql`arrayMax(run_offsets) + notEmpty(runs)` : sql`length(runs)`
  return sql`(
  SELECT arrayConcat([toFloat64(least_run), toFloat64(${count})], ${join(columns)})
  FROM (
    SELECT groupArray(run) AS runs, arrayMin(runs) AS least_run, arrayMap(ref -> toUInt32(ref - least_run), runs) AS run_offsets,
      ${join(gathered)}
    ${fromRuns(scope)})) AS runs_read`
}

function atOffsets(name: RunColumnName, index: number): Sql {
  const insert = isThreshold(name) ? sql`'groupArrayInsertAt(nan)'` : sql`'groupArrayInsertAt(0.)'`
  return sql`[${missing(name)}], arrayReduce(${insert}, ${gatheredName(index)}, run_offsets)`
}

function asRead(name: RunColumnName, index: number): Sql {
  return sql`[${missing(name)}], ${gatheredName(index)}`
}

function gatheredName(index: number): Sql {
  return ident(`run_values_${index}`)
}

/** Index of the first value of a column in `runs_read`. */
function startOf(column: number): Sql {
  return sql`(${literalInteger(3 + column)} + ${literalInteger(column)} * run_count)`
}

function runColumn(name: RunColumnName, value: Sql): Sql {
  return sql`${name === 'operation' ? sql`toUInt32(${value})` : value} AS ${ident(`run_${name}`)}`
}

/** A time or multiplier of 0 counts as missing; a threshold may be 0. */
function isThreshold(name: RunColumnName): boolean {
  return name !== 'operation' && name !== 'multiplier' && !name.endsWith('_ms')
}

function missing(name: RunColumnName): Sql {
  return isThreshold(name) ? sql`nan` : sql`0.`
}

/** All values are Float64, for one array. */
function valueOf(name: RunColumnName): Sql {
  return name === 'operation' ? sql`toFloat64(operation)` : sql`ifNull(toFloat64(${ident(name)}), ${missing(name)})`
}

/** The newest versions of the runs that have time in the range. */
function fromRuns({ companyRef, range }: RunScope): Sql {
  return fromNewestRuns(companyRef, [sql`start_ms < ${int64(range.endMs)}`, sql`end_ms > ${int64(range.startMs)}`])
}

/** Pure: the job standard of an element by its machine and run (`run_<column>`: see `lookUpRuns`). */
export function standardColumn(standard: JobStandard): Sql {
  return sql`${standardOf(standard)} AS ${ident(standard.name)}`
}

function standardOf(standard: JobStandard): Sql {
  const { name, runColumn, ofAll } = standard
  if (runColumn === null) return ofMachine(standard)
  const own = ident(`run_${runColumn}`)
  if (isThresholdName(name)) return sql`if(isNaN(${own}), ${ofMachine(standard)}, ${own})`
  // The lookup returns 0 without a value.
  return ofAll === 0 ? own : sql`if(${own} = 0, ${ofMachine(standard)}, ${own})`
}

function ofMachine({ ofMachines, ofAll }: JobStandard): Sql {
  const value = sql`toFloat64(${float64(ofAll)})`
  if (ofMachines.size === 0) return value
  const [refs, values] = [array(uint32, [...ofMachines.keys()]), array(float64, [...ofMachines.values()])]
  return sql`transform(machine, ${refs}, ${values}, ${value})`
}
