import { array, int32, int64, type Sql, sql, str, uint32, uint8 } from '../../../clickhouse/sql/sql.ts'
import { choice } from '../alarm-instances/compile.ts'
import { nativeCodes } from '../../../clickhouse/tables/alarms.ts'
import { hours } from '../../../clickhouse/tables/documents.ts'
import { from, whereAll } from '../../../clickhouse/tables/from.ts'
import { levelCodes, openEnd } from '../../../clickhouse/tables/values.ts'
import { type Provisional, unionAll, slotMs } from '../sql.ts'
import { keyColumns, overDocuments } from '../events/sql.ts'
import type { AlarmPlan } from './plan.ts'

/**
 * Pure: the same plan is the same SQL. One row per combination of keys and of the cells in which instances begin and end, as cut
 * to the range: [k_machine, k_state, k_native, first_cell, last_cell, records, total_ms, ms before `began` in the first cell,
 * ms before `ended` in the last one, first_ms, last_ms]; ms are sums over the instances.
 */
export function compileAlarm(plan: AlarmPlan, provisional: Provisional | null): Sql {
  const { byState, byNativeCode } = plan
  return sql`
SELECT ${keyColumns(plan, ['machine'])}, ${byState ? sql`level` : sql`0`} AS k_state,
  ${byNativeCode ? sql`native` : sql`0`} AS k_native, first_cell, last_cell, count() AS records,
  sum(ended - began) AS total_ms, sum(began - first_cell * 1000) AS into_first, sum(ended - last_cell * 1000) AS into_last,
  min(began) AS first_ms, max(ended) AS last_ms
FROM (${cutInstances(plan, provisional)}) AS instances ${needsNatives(plan) ? joinNatives(plan) : sql``}
${whereAll(nativeConditions(plan))}
GROUP BY k_machine, k_state, k_native, first_cell, last_cell`
}

/** Instances with their part in the range and in the machine's counted time. Those within one hour needn't be put together. */
function cutInstances(plan: AlarmPlan, provisional: Provisional | null): Sql {
  const within = sql`
    SELECT machine, code, level, start, piece_message AS message, piece_end AS known_end
    FROM (${pieces(plan, provisional)})
    WHERE is_whole`
  const overHours = sql`
    SELECT machine, code, level, start, any(piece_message) AS message,
      min(piece_end) AS known_end
    FROM (${pieces(plan, provisional)})
    WHERE NOT is_whole
    GROUP BY machine, key, code, level, start`
  return sql`
  SELECT machine, code, message, level, greatest(start, ${boundOf(plan, 'startMs')}) AS began,
    least(known_end, ${boundOf(plan, 'endMs')}) AS ended,
    ${cellOf(plan, sql`began`)} AS first_cell, ${cellOf(plan, sql`ended - 1`)} AS last_cell
  FROM (${within}${unionAll}${overHours})
  WHERE began < ended`
}

/** Where the time that counts begins or ends for a machine. */
function boundOf({ range, bounds }: AlarmPlan, side: 'startMs' | 'endMs'): Sql {
  const ofRange = int64(range[side])
  if (bounds.size === 0) return sql`${ofRange}`
  const own = [...bounds.values()].map(bound => bound[side])
  return sql`transform(machine, ${array(uint32, [...bounds.keys()])}, ${array(int64, own)}, ${ofRange})`
}

/** Start of the cell that holds an instant (UTC ms), in UTC seconds; every bound is the start of a cell. 0 without cells. */
function cellOf({ cellsMs }: AlarmPlan, atMs: Sql): Sql {
  if (cellsMs.length === 0) return sql`toUInt32(0)`
  const starts = array(
    uint32,
    cellsMs.map(ms => ms / 1000),
  )
  return sql`toUInt32(roundDown(toUInt32(intDiv(${atMs}, 1000)), ${starts}))`
}

function pieces(plan: AlarmPlan, provisional: Provisional | null): Sql {
  const { company, range, filters, states, codes } = plan
  const ofStates = array(
    uint8,
    states.map(state => levelCodes.code(state)),
  )
  const conditions = [sql`level IN ${ofStates}`, ...choice(codes, sql`code`, texts => array(str, texts))]
  const unfold = [sql`alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms`]
  return overDocuments(
    hours,
    { company, range, machines: filters.machines },
    provisional,
    { unfold, where: conditions },
    rows => sql`
    SELECT machine, alarm_key AS key, alarm_code AS code, alarm_message AS piece_message, alarm_level AS level,
      alarm_start_ms AS start, alarm_end_ms AS piece_end,
      alarm_start_ms >= ${slotMs} AND alarm_end_ms < ${openEnd.none} AS is_whole
    ${rows}`,
  )
}

function needsNatives({ byNativeCode, natives }: AlarmPlan): boolean {
  return byNativeCode || natives.only !== null || natives.not.length > 0
}

/** 0 for what has no id yet. */
function joinNatives({ company }: AlarmPlan): Sql {
  return sql`
LEFT JOIN (
  SELECT code, message, level, argMax(id, version) AS native ${from(nativeCodes, company)}
  GROUP BY code, message, level
) AS natives USING (code, message, level)`
}

function nativeConditions({ natives }: AlarmPlan): readonly Sql[] {
  return choice(natives, sql`native`, ids => array(int32, ids))
}
