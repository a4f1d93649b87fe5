import type { AlarmElement, HourDocument } from '../../schema/document.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { machineRef, storedText, wide } from '../client/kinds.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { parallelArrays } from '../tables/parallel-arrays.ts'
import { fromStoredHours, keysTouching } from '../tables/stored-hours.ts'
import { levelCodes, openEnd } from '../tables/values.ts'
import { segmentArrays, segmentOf } from './read-segments.ts'

const alarmArrays = parallelArrays('alarm', {
  key: storedText,
  code: storedText,
  message: storedText,
  level: levelCodes.kind,
  start_ms: wide,
  end_ms: openEnd.kind,
})

/** The states and alarms of one machine's hour. */
type HistoryOfHour = Pick<HourDocument, 'machineRef' | 'slotMs' | 'segments' | 'alarms'>

/** Reads states and alarms of every stored hour that overlaps [fromMs, toMs), by machine and hour. Rejects with a `StoreError`. */
export async function readHistory(
  store: Pick<Store, 'queryColumns'>,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
): Promise<readonly HistoryOfHour[]> {
  const query = sql`
    SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slot_ms,
      ${segmentArrays.columns}, ${alarmArrays.columns}
    ${fromStoredHours(companyRef, keysTouching(fromMs, toMs, machines))}
    ORDER BY machine, slot`
  const shape = { machineRef, slot_ms: wide, ...segmentArrays.shape, ...alarmArrays.shape }
  const found = await rows(store, query, shape, ofPipeline)
  return found.map(row => ({
    machineRef: row.machineRef,
    slotMs: row.slot_ms,
    segments: segmentArrays.items(row).map(segmentOf),
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
