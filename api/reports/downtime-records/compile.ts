import { array, empty, int32, int64, join, type Sql, sql, uint32, uint64 } from '../../../clickhouse/sql/sql.ts'
import { whereAll } from '../../../clickhouse/tables/from.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs, slotOf } from '../../../shared/time/units.ts'
import { type DocumentScope, fromSlots, overHours, slotMs, unionAll, fromProvisional } from '../compile/select.ts'
import { isLong } from '../compile/microstops.ts'
import type { RecordsRequest } from './request.ts'

/** Identity of a downtime record. */
export interface RecordKey {
  readonly machineRef: MachineRef
  readonly startMs: number
}

const hour = int64(hourMs)

const unfold = [sql`downtime_record_start_ms, downtime_start, downtime_end, downtime_reason`]

const unfoldEnds = [sql`downtime_record_start_ms, downtime_end, downtime_reason`]

const ends = (rows: Sql) => sql`
    SELECT machine, downtime_record_start_ms AS record, ${slotMs} + downtime_end AS ended, downtime_reason AS reason
    ${rows}`

const elements = (rows: Sql) => sql`
    SELECT machine, downtime_record_start_ms AS record, ${slotMs} + downtime_start AS began,
      ${slotMs} + downtime_end AS ended, downtime_reason AS reason
    ${rows}`

/** The hours to read for a request, and the moment (UTC ms). */
export interface RecordsRead {
  readonly scope: DocumentScope
  /** Contains the range of the request. */
  readonly readRange: TimeRange
  readonly nowMs: number
}

/**
 * A page of records that overlap the range: [machineRef, startMs, reason, endMs, inRangeMs]. `endMs`: end of the last element in an hour
 * that is read, which may be in the future.
 */
export function compileRecords(request: RecordsRequest, read: RecordsRead): Sql {
  const { orderBy, direction, limit } = request
  const [isLater, order] = direction === 'ASC' ? [sql`>`, sql`ASC`] : [sql`<`, sql`DESC`]
  const key = orderBy === 'duration' ? sql`inRangeMs` : sql`toInt64(0)`
  const after = request.after
    ? sql`AND (${key}, startMs, machineRef) ${isLater} (${int64(request.after.inRangeMs)}, ${int64(request.after.startMs)}, ${uint32(request.after.machineRef)})`
    : empty
  return sql`${allRecords(request, read)} ${after}
ORDER BY ${key} ${order}, startMs ${order}, machineRef ${order}
LIMIT ${uint64(limit)}`
}

/**
 * Records without pages and order. A record is contiguous, so its last element is enough: as the end of an element grows, it passes the
 * conditions on minimum lengths if one before it does. Most elements are of short stops, and are left out before records are joined,
 * which takes most of the time.
 */
function allRecords({ range, minMs, reasons, show, microstops }: RecordsRequest, read: RecordsRead): Sql {
  const inRangeMs = (end: Sql) => sql`least(${end}, ${int64(range.endMs)}) - greatest(record, ${int64(range.startMs)})`
  const counts = (end: Sql) => isLong(microstops, sql`least(${end}, ${int64(read.nowMs)}) - record`)
  const conditions = [
    ...(reasons ? [sql`reason IN ${array(int32, reasons)}`] : []),
    sql`${inRangeMs(sql`ended`)} >= ${int64(Math.max(minMs, 1))}`,
    ...(show === 'exclude' ? [counts(sql`ended`)] : []),
  ]
  const having = show === 'only' ? sql`NOT (${counts(sql`max(ended)`)})` : sql`1`
  return sql`
SELECT machine AS machineRef, record AS startMs, any(reason) AS reasonCode, max(ended) AS endMs, toInt64(${inRangeMs(sql`endMs`)}) AS inRangeMs
FROM (${overHours(read.scope, read.readRange, { unfold: unfoldEnds }, ends)})
${whereAll(conditions)}
GROUP BY machine, record
HAVING ${having}`
}

/** These records in the hours in which they begin: [machineRef, startMs, reason, endMs]. */
export function compileBegins(keys: readonly RecordKey[], scope: DocumentScope): Sql {
  const slots = [...new Set(keys.map(({ startMs }) => slotOf(startMs)))]
  const provisional = fromProvisional(scope, { unfold })
  const selects = [fromSlots(scope, slots, { unfold }), ...(provisional ? [provisional] : [])]
  return sql`
SELECT machine AS machineRef, record AS startMs, any(reason) AS reasonCode, max(ended) AS endMs
FROM (${join(selects.map(elements), unionAll)})
WHERE ${isOneOf(keys)} AND began < (intDiv(record, ${hour}) + 1) * ${hour}
GROUP BY machine, record
HAVING min(began) = startMs`
}

/** Ends of records in the hours of a range: [machineRef, startMs, endMs]. */
export function compileEnds(keys: readonly RecordKey[], scope: DocumentScope, range: TimeRange): Sql {
  return sql`
SELECT machine AS machineRef, record AS startMs, max(ended) AS endMs
FROM (${overHours(scope, range, { unfold }, elements)})
WHERE ${isOneOf(keys)}
GROUP BY machine, record`
}

function isOneOf(keys: readonly RecordKey[]): Sql {
  const machines = array(
    uint32,
    keys.map(({ machineRef }) => machineRef),
  )
  const starts = array(
    int64,
    keys.map(({ startMs }) => startMs),
  )
  return sql`(machine, record) IN (SELECT arrayJoin(arrayZip(${machines}, ${starts})))`
}
