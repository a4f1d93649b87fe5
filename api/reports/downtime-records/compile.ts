import { array, empty, int32, int64, join, type Sql, sql, uint32, uint64 } from '../../../clickhouse/sql/sql.ts'
import { whereAll } from '../../../clickhouse/tables/from.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs, slotOf } from '../../../shared/time/units.ts'
import { type DocumentScope, fromSlots, overHours, slotMs, unionAll, fromProvisional } from '../compile/select.ts'
import { isLong } from '../compile/microstops.ts'
import { isOver } from '../compile/record-parts.ts'
import type { RecordsRequest } from './request.ts'

/** Identity of a downtime record. */
export interface RecordKey {
  readonly machineRef: MachineRef
  readonly startMs: number
}

const hour = int64(hourMs)

const unfold = [sql`downtime_record_start_ms, downtime_start, downtime_end, downtime_reason`]

const elementColumns = sql`machine, downtime_record_start_ms AS record, ${slotMs} + downtime_start AS began,
      ${slotMs} + downtime_end AS ended, downtime_reason AS reason`

const elements = (rows: Sql) => sql`
    SELECT ${elementColumns}
    ${rows}`

const wholeOrNot = (rows: Sql) => sql`
    SELECT ${elementColumns}, downtime_over AND record = began AS is_whole
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
 * Number and time in the range of the records of each machine: [machineRef, recordCount, totalMs]. Only records with several elements are
 * joined; the others are added as they are.
 */
export function compileRecordSums(request: RecordsRequest, read: RecordsRead): Sql {
  const { inRangeMs, counts } = lengthsOf(request, read)
  return sql`
SELECT machine AS machineRef, toUInt32(sum(counted)) AS recordCount, toInt64(sum(ms)) AS totalMs
FROM (
  SELECT machine, if(is_whole, toInt64(-1), record) AS joined, if(joined = -1, count(), 1) AS counted,
    sum(${inRangeMs}) AS ms
  FROM (${possibleElements(request, read)})
  GROUP BY machine, joined
  HAVING joined = -1 OR (${counts(sql`ms`, sql`max(ended)`, sql`joined`)}))
GROUP BY machineRef
ORDER BY machineRef`
}

function allRecords(request: RecordsRequest, read: RecordsRead): Sql {
  const { inRangeMs, counts } = lengthsOf(request, read)
  return sql`
SELECT machine AS machineRef, record AS startMs, any(reason) AS reasonCode, max(ended) AS endMs, toInt64(sum(${inRangeMs})) AS inRangeMs
FROM (${possibleElements(request, read)})
GROUP BY machine, record
HAVING ${counts(sql`inRangeMs`, sql`max(ended)`, sql`record`)}`
}

/**
 * The elements of records that may be listed, with `is_whole`: the element is its whole record. Most records are one element, and most
 * of these are too short or too long for the request: they are left out before records are joined, which takes most of the time.
 */
function possibleElements(request: RecordsRequest, read: RecordsRead): Sql {
  const { inRangeMs, counts } = lengthsOf(request, read)
  const conditions = [
    sql`began < ${int64(read.nowMs)}`,
    ...(request.reasons ? [sql`reason IN ${array(int32, request.reasons)}`] : []),
    sql`NOT is_whole OR (${counts(inRangeMs, sql`ended`, sql`record`)})`,
  ]
  const withOver = [...unfold, sql`${isOver} AS downtime_over`]
  return sql`
SELECT * FROM (${overHours(read.scope, read.readRange, { unfold: withOver }, wholeOrNot)})
${whereAll(conditions)}`
}

/** Time of an element in the range, and whether a record counts by its time in the range, its end and its start. */
function lengthsOf({ range, minMs, show, microstops }: RecordsRequest, { nowMs }: RecordsRead) {
  const isCounted = (end: Sql, start: Sql) => isLong(microstops, sql`least(${end}, ${int64(nowMs)}) - ${start}`)
  const ofLength = {
    include: () => empty,
    exclude: (end: Sql, start: Sql) => sql`AND ${isCounted(end, start)}`,
    only: (end: Sql, start: Sql) => sql`AND NOT (${isCounted(end, start)})`,
  }
  return {
    inRangeMs: sql`greatest(least(ended, ${int64(range.endMs)}) - greatest(began, ${int64(range.startMs)}), 0)`,
    counts: (ms: Sql, end: Sql, start: Sql) => sql`${ms} >= ${int64(Math.max(minMs, 1))} ${ofLength[show](end, start)}`,
  }
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
