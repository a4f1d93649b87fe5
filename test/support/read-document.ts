import { big, float, narrow, storedText, wide } from '../../clickhouse/client/kinds.ts'
import { firstRow } from '../../clickhouse/client/rows.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { dimensionKinds, segmentArrays, segmentOf } from '../../clickhouse/documents/read-segments.ts'
import { fromStoredHours } from '../../clickhouse/tables/stored-hours.ts'
import { sql } from '../../clickhouse/sql/sql.ts'
import { parallelArrays } from '../../clickhouse/tables/parallel-arrays.ts'
import { levelCodes, openEnd } from '../../clickhouse/tables/values.ts'
import type { VersionedDocument } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { hourMs } from '../../shared/time/units.ts'

const facts = parallelArrays('facts', {
  cell: narrow,
  ...dimensionKinds,
  first: narrow,
  last: narrow,
  duration_ms: narrow,
  in_cycle_ms: narrow,
  spindle_ms: narrow,
  cut_ms: narrow,
  parts: float,
  adjusted: float,
  scrap: float,
  nonconform: float,
})

const downtimes = parallelArrays('downtime', {
  cell: narrow,
  ...dimensionKinds,
  start: narrow,
  end: narrow,
  reason: narrow,
  record_start_ms: wide,
})

const alarms = parallelArrays('alarm', {
  key: storedText,
  code: storedText,
  message: storedText,
  level: levelCodes.kind,
  start_ms: wide,
  end_ms: openEnd.kind,
})

const setups = parallelArrays('setup', { at: narrow, ...dimensionKinds })
const parts = parallelArrays('part', { cell: narrow, at: narrow, count: float, ...dimensionKinds })

const adjustments = parallelArrays('adjustment', {
  cell: narrow,
  at: narrow,
  count: float,
  scrap: float,
  nonconform: float,
  type: narrow,
  ...dimensionKinds,
})

/** The whole document of one hour, read from its tables; null if there is no document. */
export async function readDocument(
  store: Store,
  companyRef: CompanyRef,
  machineRef: MachineRef,
  slotMs: number,
): Promise<VersionedDocument | null> {
  const keys = { fromMs: slotMs, toMs: slotMs + hourMs, machines: [machineRef] }
  const hour = await firstRow(
    store,
    sql`SELECT toString(version) AS version_text, toString(hash_in) AS hashIn, toString(hash_out) AS hashOut,
        ${facts.columns}, ${downtimes.columns}, ${alarms.columns}, ${setups.columns} ${fromStoredHours(companyRef, keys)}`,
    {
      version_text: big,
      hashIn: storedText,
      hashOut: storedText,
      ...facts.shape,
      ...downtimes.shape,
      ...alarms.shape,
      ...setups.shape,
    },
  )
  const states = await firstRow(
    store,
    sql`SELECT state_out, ${segmentArrays.columns} ${fromStoredHours(companyRef, keys)}`,
    { state_out: storedText, ...segmentArrays.shape },
  )
  const made = await firstRow(
    store,
    sql`SELECT ${parts.columns}, ${adjustments.columns} ${fromStoredHours(companyRef, keys)}`,
    { ...parts.shape, ...adjustments.shape },
  )
  if (!hour || !states || !made) return null
  return {
    companyRef,
    machineRef,
    slotMs,
    version: hour.version_text,
    hashIn: hour.hashIn,
    hashOut: hour.hashOut,
    stateOut: states.state_out,
    facts: facts.items(hour).map(factOf),
    downtimes: downtimes.items(hour).map(downtimeOf),
    alarms: alarms.items(hour).map(alarmOf),
    setups: setups.items(hour).map(dimensionsOf),
    segments: segmentArrays.items(states).map(segmentOf),
    parts: parts.items(made).map(partOf),
    adjustments: adjustments.items(made).map(dimensionsOf),
  }
}

function factOf(item: ReturnType<typeof facts.items>[number]) {
  const { duration_ms: durationMs, in_cycle_ms: inCycleMs, spindle_ms: spindleMs, cut_ms: cutMs, ...fact } = item
  return { ...dimensionsOf(fact), durationMs, inCycleMs, spindleMs, cutMs }
}

function downtimeOf(item: ReturnType<typeof downtimes.items>[number]) {
  const { record_start_ms: recordStartMs, ...element } = dimensionsOf(item)
  return { ...element, recordStartMs }
}

function alarmOf(item: ReturnType<typeof alarms.items>[number]) {
  const { code: nativeCode, start_ms: startMs, end_ms: endMs, ...alarm } = item
  return { ...alarm, nativeCode, startMs, endMs }
}

function partOf(item: ReturnType<typeof parts.items>[number]) {
  const { count, ...part } = dimensionsOf(item)
  return { ...part, parts: count }
}

function dimensionsOf<Item extends { readonly non_optional: boolean }>(item: Item) {
  const { non_optional: nonOptional, ...rest } = item
  return { ...rest, nonOptional }
}
