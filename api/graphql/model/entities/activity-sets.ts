import { fromEventfulHours } from '../../../../clickhouse/tables/stored-hours.ts'
import { int64, type Sql, sql } from '../../../../clickhouse/sql/sql.ts'
import { startsWith } from '../../../../clickhouse/projections/start-conditions.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { fromNewestRuns } from '../../../../clickhouse/projections/newest-runs.ts'
import { machineRuns } from '../../../../clickhouse/tables/record-kinds.ts'
import { modeCodes, openEnd } from '../../../../clickhouse/tables/values.ts'
import { column, type Bounds, conditionsOn, type Entity, toMany, toOne, unbounded } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import type { QueryScope } from '../scope.ts'
import { fromSelect, isNotDeleted, derivedUuid } from '../sources.ts'

/** Conditions on job runs: on `machine_id`, and on columns that `job_runs` has too. */
interface RunConditions {
  readonly ofMachines?: readonly Sql[]
  readonly ofRuns?: readonly Sql[]
}

/**
 * Selects the job runs with two additional columns: `until_ms`, the end (`openEnd.none` while the run is open), and
 * `is_counted`. A run lasts until its end or the start of the machine's next run. A run that ends at its start does not
 * count; of several runs with the same start only the last one counts. Conditions on runs make it faster.
 */
export function selectCountedRuns(scope: QueryScope, { ofMachines = [], ofRuns = [] }: RunConditions = {}): Sql {
  return ofRuns.length > 0 ? selectSomeRuns(scope, ofMachines, ofRuns) : selectAllRuns(scope, ofMachines)
}

/** Selects runs by their ends in `job_runs`. */
function selectSomeRuns(
  { companyId, companyRef }: QueryScope,
  ofMachines: readonly Sql[],
  ofRuns: readonly Sql[],
): Sql {
  const matching = fromNewestRuns(companyRef, ofRuns)
  // With all runs of the same start, because only the last one of a machine counts.
  const where = [isNotDeleted, ...ofMachines, startsWith(matching)]
  const runs = sql`
    SELECT *, NOT ifNull(end_ms = start_ms, 0) AS has_length,
      has_length AND start_sequence = max(if(has_length, start_sequence, 0)) OVER (PARTITION BY machine_id, start_ms) AS is_counted
    ${from(machineRuns, companyId, { final: true, where })}`
  return sql`
    SELECT r.*, e.until_ms AS until_ms FROM (${runs}) AS r
    INNER ANY JOIN (SELECT run AS ended_run, until_ms ${matching}) AS e ON r.run = e.ended_run`
}

/** Selects all runs of machines and computes their ends. */
function selectAllRuns({ companyId }: QueryScope, ofMachines: readonly Sql[]): Sql {
  // ClickHouse computes window frames with a fixed start in one pass, but a frame with a moving start separately for
  // each row.
  const runs = sql`
    SELECT *, min(if(end_ms = start_ms, NULL, start_ms)) OVER (PARTITION BY machine_id ORDER BY start_ms DESC, start_sequence DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS next_ms
    ${from(machineRuns, companyId, { final: true, where: [isNotDeleted, ...ofMachines] })}`
  return sql`
    SELECT *, NOT ifNull(end_ms = start_ms, 0) AND NOT ifNull(next_ms = start_ms, 0) AS is_counted,
      least(ifNull(end_ms, ${openEnd.none}), if(is_counted, ifNull(next_ms, ${openEnd.none}), ${openEnd.none})) AS until_ms
    FROM (${runs})`
}

/** The end of an interval in the response: NULL while the interval is open or contains the current time. */
function endOrNull(startMs: Sql, endMs: Sql, nowMs: number): Sql {
  const now = int64(nowMs)
  return sql`if(${endMs} = ${openEnd.none} OR (${startMs} <= ${now} AND ${now} < ${endMs}), NULL, ${endMs})`
}

/** Columns whose SQL reads only columns that `job_runs` has too. */
const columnsOfRuns = ['activitySetRef', 'openedAt', 'closedAt'] as const

function runConditions(bounds: Bounds): RunConditions {
  return { ofMachines: conditionsOn(bounds, 'machineId'), ofRuns: conditionsOn(bounds, ...columnsOfRuns) }
}

/** Job runs. */
export const activitySets: Entity = {
  name: 'ActivitySet',
  description: 'A run of a job operation on a machine',
  key: ['activitySetRef'],
  order: ['openedAt'],
  columns: {
    activitySetId: column.uuid(scope => derivedUuid(scope, sql`'run'`, sql`toString(run)`)),
    activitySetRef: column.int(sql`run`, 'Unique in the installation'),
    erpJobOperationRunId: column.text(sql`id`, 'Id of the run in the ERP'),
    openedAt: column.instant(sql`start_ms`),
    closedAt: {
      ...column.instantOrNull(
        ({ nowMs }) => endOrNull(sql`start_ms`, sql`until_ms`, nowMs),
        'End of the run, or the start of the next run on the machine; null while the run is in progress',
      ),
      reads: sourceReads('time'),
      // The end of a run in progress, and of an open one, is after now.
      stored: ({ nowMs }) => ({ value: sql`until_ms`, ifNull: sql`until_ms > ${int64(nowMs)}` }),
    },
    machineId: column.uuid(sql`machine_id`),
    operationId: column.text(sql`operation_id`),
    startInSetup: column.bool(sql`in_setup`),
  },
  relations: {
    machine: toOne('machines', ['machineId', 'machineId']),
    operation: toOne('operations', ['operationId', 'operationId']),
    activities: toMany('activities', ['activitySetRef', 'activitySetRef']),
  },
  reads: sourceReads('jobRun'),
  boundedBy: { columns: ['machineId', ...columnsOfRuns] },
  source: (scope, where, needed, bounds = unbounded) =>
    needed.has('closedAt')
      ? fromSelect(selectCountedRuns(scope, runConditions(bounds)), where)
      : from(machineRuns, scope.companyId, { final: true, where: [isNotDeleted, ...where] }),
}

/**
 * Selects the instant at which auto-production moved each job run from setup to production, from the hourly documents:
 * columns run, auto_ms.
 */
function selectAutoProductions({ companyRef, companyId }: QueryScope): Sql {
  const inSetup = from(machineRuns, companyId, { where: [sql`in_setup = 1`] })
  const production = sql`facts_mode = ${modeCodes.param('production')}`
  const keys = { fromMs: 0, toMs: Infinity, machines: null }
  const where = [production, sql`facts_run IN (SELECT run ${inSetup})`]
  return sql`
    SELECT facts_run AS run, min(toInt64(toUnixTimestamp(slot)) * 1000 + facts_first) AS auto_ms
    ${fromEventfulHours(companyRef, keys, { unfold: [sql`facts_run, facts_mode, facts_first`], where })}
    GROUP BY run`
}

/**
 * The instant, UTC ms, at which a user moved a job run from setup to production, or the start of the run if that is
 * later; `openEnd.none`: no user moved it.
 */
function manualProduction(productionMs: Sql, startMs: Sql): Sql {
  return sql`if(isNull(${productionMs}), ${openEnd.none}, greatest(assumeNotNull(${productionMs}), ${startMs}))`
}

/**
 * Selects the counted job runs with `production`, the start of production in UTC ms (`openEnd.none` for a run that
 * stayed in setup). `ofRuns`: conditions on `run`.
 */
function selectRunsWithProduction(scope: QueryScope, ofRuns: readonly Sql[]): Sql {
  const manual = manualProduction(sql`production_ms`, sql`start_ms`)
  const counted = sql`SELECT * ${fromSelect(selectCountedRuns(scope, { ofRuns }), [sql`is_counted`, ...ofRuns])}`
  if (!scope.settings.autoProduction)
    return sql`SELECT run, start_ms, until_ms, in_setup, if(in_setup, ${manual}, start_ms) AS production FROM (${counted})`
  return sql`
    SELECT r.run AS run, r.start_ms AS start_ms, r.until_ms AS until_ms, r.in_setup AS in_setup,
      if(in_setup, least(${manualProduction(sql`r.production_ms`, sql`r.start_ms`)},
        if(a.auto_ms = 0, ${openEnd.none}, a.auto_ms)), r.start_ms) AS production
    FROM (${counted}) AS r LEFT ANY JOIN (${selectAutoProductions(scope)}) AS a ON r.run = a.run`
}

/**
 * Selects the intervals of setup and of production of job runs: columns run, type, from_ms, to_ms. `ofRuns`: conditions
 * on `run`.
 */
function selectIntervals(scope: QueryScope, ofRuns: readonly Sql[]): Sql {
  const both = sql`
    SELECT run, until_ms, in_setup, start_ms, production, arrayJoin(['setup', 'production']) AS type,
      if(type = 'setup', start_ms, production) AS from_ms,
      if(type = 'setup', least(production, until_ms), until_ms) AS to_ms
    FROM (${selectRunsWithProduction(scope, ofRuns)})`
  return sql`SELECT run, type, from_ms, to_ms FROM (${both}) WHERE from_ms < to_ms AND from_ms <= ${int64(scope.nowMs)}`
}

/** Intervals of setup and of production of job runs. */
export const activities: Entity = {
  name: 'Activity',
  description: 'An interval of setup or of production within a job run',
  key: ['activityId'],
  order: ['startAt'],
  columns: {
    activityId: column.uuid(scope => derivedUuid(scope, sql`type`, sql`toString(run)`)),
    activityType: column.text(sql`type`, 'setup or production'),
    startAt: column.instant(sql`from_ms`),
    endAt: column.instantOrNull(
      ({ nowMs }) => endOrNull(sql`from_ms`, sql`to_ms`, nowMs),
      'null while the interval is ongoing',
    ),
    activitySetRef: column.int(sql`run`),
  },
  relations: { activitySet: toOne('activitySets', ['activitySetRef', 'activitySetRef']) },
  reads: sourceReads('jobRun', 'company', 'documents', 'time'),
  boundedBy: { columns: ['activitySetRef'] },
  source: (scope, where, _needed, bounds = unbounded) =>
    fromSelect(selectIntervals(scope, conditionsOn(bounds, 'activitySetRef')), where),
}
