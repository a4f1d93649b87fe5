import type { AlarmElement, HourDocument, Segment } from '../../schema/document.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { flag, machineRef, narrow, storedText, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { parallelArrays } from '../tables/parallel-arrays.ts'
import { fromStoredHours, keysTouching } from '../tables/stored-hours.ts'
import { levelCodes, openEnd, statusCodes } from '../tables/values.ts'

const stateArrays = parallelArrays('segment', {
  start: narrow,
  end: narrow,
  status: statusCodes.kind,
  down: flag,
  reason: narrow,
  shift: narrow,
  scheduled: flag,
})

const alarmArrays = parallelArrays('alarm', {
  key: storedText,
  code: storedText,
  message: storedText,
  level: levelCodes.kind,
  start_ms: wide,
  end_ms: openEnd.kind,
})

/** The states and alarms of one machine's hour. */
interface HistoryOfHour extends Pick<HourDocument, 'machineRef' | 'slotMs' | 'alarms'> {
  readonly segments: readonly Pick<Segment, 'start' | 'end' | 'status' | 'reason' | 'shift' | 'scheduled'>[]
}

/** Reads states and alarms of every stored hour that overlaps [fromMs, toMs), by machine and hour. Rejects with a `StoreError`. */
export async function readHistory(
  store: StoreReads,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
  options: QueryOptions,
): Promise<readonly HistoryOfHour[]> {
  const query = sql`
    SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slot_ms,
      ${stateArrays.columns}, ${alarmArrays.columns}
    ${fromStoredHours(companyRef, keysTouching(fromMs, toMs, machines))}
    ORDER BY machine, slot`
  const shape = { machineRef, slot_ms: wide, ...stateArrays.shape, ...alarmArrays.shape }
  const found = await rows(store, query, shape, options)
  return found.map(row => ({
    machineRef: row.machineRef,
    slotMs: row.slot_ms,
    segments: stateArrays.items(row).map(({ start, end, status, down, reason, shift, scheduled }) => ({
      start,
      end,
      status,
      reason: down ? reason : null,
      shift,
      scheduled,
    })),
    alarms: alarmArrays
      .items(row)
      .map(({ key, code: nativeCode, message, level, start_ms: startMs, end_ms: endMs }): AlarmElement => ({
        key,
        nativeCode,
        message,
        level: level === 'FAULT' ? 'FAULT' : 'WARNING',
        startMs,
        endMs,
      })),
  }))
}
