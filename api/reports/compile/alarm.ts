import { array, empty, int32, int64, join, type Sql, sql, str, uint32, uint8 } from '../../../clickhouse/sql/sql.ts'
import { nativeCodes } from '../../../clickhouse/tables/alarms.ts'
import { from, whereAll } from '../../../clickhouse/tables/from.ts'
import { levelCodes, openEnd } from '../../../clickhouse/tables/values.ts'
import type { AlarmPlan } from '../plan/alarm.ts'
import { keyNames } from '../plan/plan.ts'
import type { Sources } from '../sources/sources.ts'
import {
  chosen,
  documentScope,
  overHours,
  slotMs,
  unionAll,
  groupedBy,
  keyColumn,
  seconds,
  keyColumns,
} from './select.ts'
import { type Query, resultColumns } from '../query/query.ts'

/** Sums over the instances of a row: ms, and ms before they begin in their first cell, or end in their last one. */
const sums = [
  sql`toFloat64(count()) AS record_count`,
  sql`toFloat64(sum(ended - began)) AS total_ms`,
  sql`toFloat64(sum(began - first_cell * 1000)) AS into_first`,
  sql`toFloat64(sum(ended - last_cell * 1000)) AS into_last`,
  sql`toFloat64(min(began)) AS first_ms`,
  sql`toFloat64(max(ended)) AS last_ms`,
]
const columns = [
  'first_cell',
  'last_cell',
  'record_count',
  'total_ms',
  'into_first',
  'into_last',
  'first_ms',
  'last_ms',
]

/** Pure. A row per combination of keys (without the cell) and of an instance's first and last cell, then `sums`. */
export function compileAlarm(plan: AlarmPlan, sources: Sources): Query {
  const keys = keyNames(plan).filter(name => name !== 'cell')
  const cells = sql`first_cell, last_cell`
  return {
    sql: sql`
SELECT ${join([...keyColumns(plan, keys), cells, ...sums])}
FROM (${cutInstances(plan, sources)}) AS instances ${needsNatives(plan) ? joinNatives(plan) : empty}
${whereAll(chosen(plan.natives, sql`native`, ids => array(int32, ids)))}
${groupedBy([...keys.map(keyColumn), cells])}`,
    columns: resultColumns(keys, ...columns),
  }
}

/** Instances, cut to the range and to the counted time of the machine. Only those over several hours are merged from their hours. */
function cutInstances(plan: AlarmPlan, sources: Sources): Sql {
  const within = sql`
    SELECT machine, code, level, start, element_message AS message, element_end AS known_end
    FROM (${elements(plan, sources)})
    WHERE is_whole`
  const overHours = sql`
    SELECT machine, code, level, start, any(element_message) AS message,
      min(element_end) AS known_end
    FROM (${elements(plan, sources)})
    WHERE NOT is_whole
    GROUP BY machine, key, code, level, start`
  return sql`
  SELECT machine, code, message, level, greatest(start, ${boundOf(plan, 'startMs')}) AS began,
    least(known_end, ${boundOf(plan, 'endMs')}) AS ended,
    ${cellOf(plan, sql`began`)} AS first_cell, ${cellOf(plan, sql`ended - 1`)} AS last_cell
  FROM (${within}${unionAll}${overHours})
  WHERE began < ended`
}

/** Start or end of the counted time of each machine. */
function boundOf({ range, bounds }: AlarmPlan, side: 'startMs' | 'endMs'): Sql {
  const ofRange = int64(range[side])
  if (bounds.size === 0) return sql`${ofRange}`
  const own = [...bounds.values()].map(bound => bound[side])
  return sql`transform(machine, ${array(uint32, [...bounds.keys()])}, ${array(int64, own)}, ${ofRange})`
}

/** Start of the cell that contains an instant (UTC ms), in UTC seconds; each bound is the start of a cell. 0 without cells. */
function cellOf({ cellsMs }: AlarmPlan, atMs: Sql): Sql {
  if (cellsMs.length === 0) return sql`toUInt32(0)`
  return sql`toUInt32(roundDown(toUInt32(intDiv(${atMs}, 1000)), ${seconds(cellsMs)}))`
}

function elements(plan: AlarmPlan, sources: Sources): Sql {
  const levels = array(
    uint8,
    plan.states.map(state => levelCodes.code(state)),
  )
  const where = [sql`level IN ${levels}`, ...chosen(plan.codes, sql`code`, texts => array(str, texts))]
  const unfold = [sql`alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms`]
  const selects = sources.whole.map(range =>
    overHours(
      documentScope(plan, sources),
      range,
      { unfold, where },
      rows => sql`
    SELECT machine, alarm_key AS key, alarm_code AS code, alarm_message AS element_message, alarm_level AS level,
      alarm_start_ms AS start, alarm_end_ms AS element_end,
      alarm_start_ms >= ${slotMs} AND alarm_end_ms < ${openEnd.none} AS is_whole
    ${rows}`,
    ),
  )
  return join(selects, unionAll)
}

function needsNatives({ keys, natives }: AlarmPlan): boolean {
  return keys.nativeCode || natives.only !== null || natives.not.length > 0
}

/** 0: the instance has no id yet. */
function joinNatives({ companyRef }: AlarmPlan): Sql {
  return sql`
LEFT JOIN (
  SELECT code, message, level, argMax(id, version) AS native ${from(nativeCodes, companyRef)}
  GROUP BY code, message, level
) AS natives USING (code, message, level)`
}
