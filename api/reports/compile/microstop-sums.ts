import { array, int32, int64, join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { whereAll } from '../../../clickhouse/tables/from.ts'
import type { DowntimePlan } from '../plan/downtime.ts'
import type { Sources } from '../sources/sources.ts'
import { elementsOfRecords, hourElements, partInRange } from './downtime.ts'
import { isLong } from './microstops.ts'
import { documentScope, fromDays, unionAll } from './select.ts'

/** Number and time in the range of the microstops of each machine that has some: [machineRef, recordCount, totalMs]. */
export function compileMicrostopSums(plan: DowntimePlan, sources: Sources): Sql {
  const parts = [
    ...(sources.days.length > 0 ? [withinDays(plan, sources)] : []),
    ...withinHours(plan, sources),
    spanning(plan, sources),
  ]
  return sql`
SELECT machine AS machineRef, toUInt32(sum(counted)) AS recordCount, toInt64(sum(ms)) AS totalMs
FROM (${join(parts, unionAll)})
GROUP BY machineRef
HAVING recordCount > 0
ORDER BY machineRef`
}

/** Records within a day, its shift and its run: their documents have the lengths. */
function withinDays(plan: DowntimePlan, sources: Sources): Sql {
  const unfold = [sql`downtime_reason AS reason, downtime_lengths_ms AS lengths_ms`]
  return sql`
  SELECT machine, toUInt64(length(short_ms)) AS counted, toInt64(arraySum(short_ms)) AS ms
  FROM (
    SELECT machine, arrayFilter(length_ms -> ${isShort(plan, sql`length_ms`)}, lengths_ms) AS short_ms
    ${fromDays(documentScope(plan, sources), sources.days, { unfold, where: ofReasons(plan) })})`
}

/** Records that are one element of an hour. */
function withinHours(plan: DowntimePlan, sources: Sources): readonly Sql[] {
  const conditions = [sql`is_whole AND ms > 0`, ...ofReasons(plan), isShort(plan, sql`ended - record`)]
  const parts = sources.whole.flatMap(part => partInRange(plan, part))
  return parts.map(
    part => sql`
  SELECT machine, toUInt64(1) AS counted, toInt64(ms) AS ms
  FROM (${hourElements(plan, sources, part)})
  ${whereAll(conditions)}`,
  )
}

/**
 * The other records, joined from their elements. A record is contiguous, so its start and its end are enough. One without an element
 * that is in belongs to the day that shares the hour.
 */
function spanning(plan: DowntimePlan, sources: Sources): Sql {
  const { startMs, endMs } = plan.range
  return sql`
  SELECT machine, toUInt64(1) AS counted, toInt64(least(max(ended), ${int64(endMs)}) - greatest(record, ${int64(startMs)})) AS ms
  FROM (${elementsOfRecords(plan, sources)})
  ${whereAll(ofReasons(plan))}
  GROUP BY machine, record
  HAVING max(is_in) AND ${isShort(plan, sql`max(ended) - record`)} AND ms > 0`
}

function isShort({ microstops }: DowntimePlan, lengthMs: Sql): Sql {
  return sql`NOT (${isLong(microstops, lengthMs)})`
}

function ofReasons({ reasons }: DowntimePlan): readonly Sql[] {
  return reasons ? [sql`reason IN ${array(int32, reasons)}`] : []
}
