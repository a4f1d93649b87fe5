import { type Sql, sql, str } from '../../../../clickhouse/sql/sql.ts'
import { column, type Entity, toMany, toOne } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import type { QueryScope } from '../scope.ts'
import { fromSelect, recordsOf, textIn, derivedUuid } from '../sources.ts'

/** Shift schedules. */
export const schedules: Entity = {
  name: 'Schedule',
  description: 'A schedule of shifts for machines',
  key: ['scheduleId'],
  order: ['scheduleId'],
  columns: { scheduleId: column.text(sql`id`), name: column.text(textIn(sql`'name'`)) },
  relations: {
    shifts: toMany('shifts', ['scheduleId', 'scheduleId']),
    machines: toMany('machines', ['scheduleId', 'scheduleId']),
  },
  reads: sourceReads('schedule'),
  source: recordsOf('schedule'),
}

/** SQL of the arrays `versions` and `exceptions` in the JSON of a schedule. */
const versions = sql`JSONExtractArrayRaw(json, 'versions')`
const exceptions = sql`JSONExtractArrayRaw(json, 'exceptions')`

/**
 * Selects each shift of each version and each exception: columns schedule_id, ref, rank (the definition with the
 * highest rank contains the name of the shift), effective_from and exception_date ('' for none), days, shift (JSON).
 */
function selectShiftDefinitions(scope: QueryScope): Sql {
  const definitions = sql`
    SELECT id AS schedule_id, arrayJoin(arrayConcat(
      arrayMap((each, i) -> ('', JSONExtractString(each, 'date'), (0, '', i), each), ${exceptions}, arrayEnumerate(${exceptions})),
      arrayMap((each, i) -> (JSONExtractString(each, 'effectiveFrom'), '', (1, JSONExtractString(each, 'effectiveFrom'), i), each),
        ${versions}, arrayEnumerate(${versions})))) AS item
    ${recordsOf('schedule')(scope, [], new Set())}`
  return sql`
    SELECT schedule_id, item.1 AS effective_from, item.2 AS exception_date,
      (item.3.1, item.3.2, item.3.3, place) AS rank, shift, JSONExtractInt(shift, 'ref') AS ref
    FROM (${definitions})
    ARRAY JOIN JSONExtractArrayRaw(item.4, 'shifts') AS shift, arrayEnumerate(JSONExtractArrayRaw(item.4, 'shifts')) AS place`
}

/** Shifts: one row for each shift that reports group by. */
export const shifts: Entity = {
  name: 'Shift',
  description: 'A shift of a schedule, with its name in the newest version',
  key: ['shiftRef'],
  order: ['scheduleId', 'shiftRef'],
  columns: {
    shiftRef: column.int(sql`ref`, 'Unique in the installation'),
    shiftId: column.text(sql`JSONExtractString(newest, 'id')`, 'Id of the shift in reports'),
    name: column.text(sql`JSONExtractString(newest, 'name')`),
    optional: column.bool(sql`JSONExtractBool(newest, 'optional')`),
    scheduleId: column.text(sql`schedule_id`),
  },
  relations: {
    schedule: toOne('schedules', ['scheduleId', 'scheduleId']),
    shiftTimes: toMany('shiftTimes', ['shiftRef', 'shiftRef']),
  },
  reads: sourceReads('schedule'),
  source: (scope, where) => {
    const newest = sql`SELECT schedule_id, ref, argMax(shift, rank) AS newest FROM (${selectShiftDefinitions(scope)}) GROUP BY schedule_id, ref`
    return fromSelect(newest, where)
  },
}

/** Times of shifts: one row for each weekday of a version, and one for each exception. */
export const shiftTimes: Entity = {
  name: 'ShiftTime',
  description: 'Time of a shift on a weekday, in a version of its schedule, or on the date of an exception',
  key: ['shiftTimeId'],
  order: ['shiftRef', 'effectiveFrom', 'exceptionDate', 'day', 'startTime'],
  columns: {
    shiftTimeId: column.uuid(scope =>
      derivedUuid(scope, sql`toString(ref)`, sql`effective_from`, sql`exception_date`, sql`toString(ifNull(day, 0))`),
    ),
    effectiveFrom: column.textOrNull(
      sql`nullIf(effective_from, '')`,
      'Local date from which the version is effective; null: from the beginning, or a row of an exception',
    ),
    exceptionDate: column.textOrNull(
      sql`nullIf(exception_date, '')`,
      'Local date of the exception; null: a row of a version',
    ),
    day: column.intOrNull(sql`day`, 'ISO weekday on which the shift starts, 1 is Monday; null: a row of an exception'),
    startTime: column.text(sql`JSONExtractString(shift, 'start')`, 'Local time HH:mm'),
    endTime: column.text(
      sql`JSONExtractString(shift, 'end')`,
      'Local time HH:mm, on the next date if it is not after startTime',
    ),
    shiftRef: column.int(sql`ref`),
  },
  relations: { shift: toOne('shifts', ['shiftRef', 'shiftRef']) },
  reads: sourceReads('schedule'),
  source: (scope, where) => {
    const days = sql`
      SELECT ref, rank, effective_from, exception_date, shift, arrayJoin(if(exception_date != '', [NULL],
        arrayMap(day -> toNullable(day), JSONExtract(shift, ${str('days')}, 'Array(UInt8)')))) AS day
      FROM (${selectShiftDefinitions(scope)})`
    return fromSelect(days, where)
  },
}
