import type { Segment } from '../../schema/document.ts'
import { flag, narrow, listOf, wide, machineRef } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { parallelArrays } from '../tables/parallel-arrays.ts'
import { modeCodes, statusCodes } from '../tables/values.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { fromStoredHours, keysTouching } from '../tables/stored-hours.ts'

/** Segments of one machine's hour; offsets are ms from `slotMs`. */
export interface HourSegments {
  readonly machineRef: MachineRef
  readonly slotMs: number
  readonly segments: readonly Segment[]
}

/** How the dimensions of an item of a document are read. */
export const dimensionKinds = {
  shift: narrow,
  run: narrow,
  operators: listOf(narrow),
  mode: modeCodes.kind,
  scheduled: flag,
  non_optional: flag,
} as const

export const segmentArrays = parallelArrays('segment', {
  cell: narrow,
  start: narrow,
  end: narrow,
  status: statusCodes.kind,
  in_cycle: flag,
  spindle: flag,
  cut: flag,
  down: flag,
  reason: narrow,
  ...dimensionKinds,
})

/** Segments of every stored hour that overlaps [fromMs, toMs), by machine and hour. Rejects with a `StoreError`. */
export async function readSegments(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
): Promise<readonly HourSegments[]> {
  const found = await rows(
    store,
    sql`SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slot_ms, ${segmentArrays.columns}
      ${fromStoredHours(companyRef, keysTouching(fromMs, toMs, machines))}
      ORDER BY machine, slot`,
    { machineRef, slot_ms: wide, ...segmentArrays.shape },
  )
  return found.map(row => ({
    machineRef: row.machineRef,
    slotMs: row.slot_ms,
    segments: segmentArrays.items(row).map(segmentOf),
  }))
}

/** A segment with its stored values. */
export function segmentOf(item: ReturnType<typeof segmentArrays.items>[number]): Segment {
  const { in_cycle: inCycle, down, reason, non_optional: nonOptional, ...segment } = item
  return { ...segment, inCycle, nonOptional, reason: down ? reason : null }
}
