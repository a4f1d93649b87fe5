import { sql } from '../../../../clickhouse/sql/sql.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { partAdjustmentsByMachine as table } from '../../../../clickhouse/tables/record-kinds.ts'
import { column, changingWith, conditionsOn, type Entity, toOne, unbounded } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import { fromSelect, isNotDeleted } from '../sources.ts'
import { selectCountedRuns } from './activity-sets.ts'

/** Columns and relations that `rejects` and `partAdjustments` have in common. */
const shared = {
  columns: {
    count: column.int(sql`parts`, 'Correction that is added to the part count of the machine'),
    scrapCount: column.int(sql`scrap`, 'Rejects'),
    message: column.text(sql`message`),
    rejectBehavior: column.textOrNull(
      sql`nullIf(reject_behavior, '')`,
      'scrap or nonconform, as the client sent it; the type may override it',
    ),
    machineId: column.uuid(sql`machine_id`),
    rejectReasonId: column.intOrNull(sql`category`),
    activitySetRef: changingWith(
      column.intOrNull(sql`nullIf(run_at, 0)`, 'Job run on the machine at the instant of the adjustment'),
      'jobRun',
    ),
  },
  relations: {
    machine: toOne('machines', ['machineId', 'machineId']),
    rejectReason: toOne('rejectReasons', ['rejectReasonId', 'rejectReasonId'], 'null: uncategorized'),
    activitySet: toOne('activitySets', ['activitySetRef', 'activitySetRef']),
  },
} satisfies Pick<Entity, 'columns' | 'relations'>

/**
 * Returns the source of part adjustments that match the condition; joins the job run at the instant of the adjustment
 * if a column needs it.
 */
function adjustmentSource(condition = sql`1`): Entity['source'] {
  return (scope, where, needed, bounds = unbounded) => {
    const ofMachines = conditionsOn(bounds, 'machineId')
    const ofTime = conditionsOn(bounds, 'rejectedAt', 'adjustedAt')
    const own = [isNotDeleted, condition, ...ofMachines, ...ofTime]
    const { companyId } = scope
    if (!needed.has('activitySetRef')) return from(table, companyId, { final: true, where: [...own, ...where] })
    // Renamed, because ClickHouse would qualify those columns of the adjustments whose names occur in both tables.
    const adjustments = from(table, companyId, { final: true, where: own })
    const inTime = [
      sql`start_ms <= (SELECT max(start_ms) ${adjustments})`,
      sql`until_ms > (SELECT min(start_ms) ${adjustments})`,
    ]
    const runs = sql`
      SELECT machine_id AS run_machine, start_ms AS run_start_ms, until_ms AS run_until_ms, run
      FROM (${selectCountedRuns(scope, { ofMachines, ofRuns: ofTime.length > 0 ? inTime : [] })}) WHERE is_counted`
    const found = sql`SELECT * ${adjustments}`
    const joined = sql`
      SELECT a.*, if(r.run_until_ms > a.start_ms, r.run, 0) AS run_at
      FROM (${found}) AS a
      ASOF LEFT JOIN (${runs}) AS r ON a.machine_id = r.run_machine AND a.start_ms >= r.run_start_ms`
    return fromSelect(joined, where)
  }
}

/** Part adjustments that reject parts. */
export const rejects: Entity = {
  name: 'Reject',
  description: 'A part adjustment that rejects parts: its scrapCount is not 0',
  key: ['rejectId'],
  order: ['rejectedAt'],
  columns: { rejectId: column.uuid(sql`id`), rejectedAt: column.instant(sql`start_ms`), ...shared.columns },
  relations: shared.relations,
  reads: sourceReads('partAdjustment'),
  boundedBy: { columns: ['rejectedAt', 'machineId'] },
  source: adjustmentSource(sql`scrap != 0`),
}

/** All part adjustments. */
export const partAdjustments: Entity = {
  name: 'PartAdjustment',
  description: 'A part adjustment: a reject, a correction or both',
  key: ['partAdjustmentId'],
  order: ['adjustedAt'],
  columns: { partAdjustmentId: column.uuid(sql`id`), adjustedAt: column.instant(sql`start_ms`), ...shared.columns },
  relations: shared.relations,
  reads: sourceReads('partAdjustment'),
  boundedBy: { columns: ['adjustedAt', 'machineId'] },
  source: adjustmentSource(),
}
