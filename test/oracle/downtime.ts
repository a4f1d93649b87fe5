import type { MachineView } from './machine.ts'
import type { Interval } from './types.ts'

/** A maximal interval of downtime with one reason, as far as it is known at the plant's clock. */
export interface DowntimeRecord extends Interval {
  readonly machineId: string
  /** Id of the reason, `setup` or `uncategorized`. */
  readonly reason: string
  /** Whether the record is shorter than the machine's `microstopMs`: then its time counts, but not the record. */
  readonly micro: boolean
}

/**
 * Time around a range in which downtime is read. Microstops last at most 1 h, so a record that extends this far beyond
 * the range is not a microstop.
 */
export const microstopMarginMs = 2 * 3_600_000

/**
 * Returns the downtime records that overlap the interval. A record is complete if it lies within the interval with the
 * margin; otherwise it is at least `microstopMarginMs` long.
 */
export function downtimeRecords(view: MachineView, over: Interval): readonly DowntimeRecord[] {
  const wide = { startMs: over.startMs - microstopMarginMs, endMs: over.endMs + microstopMarginMs }
  const records: (Interval & { readonly reason: string })[] = []
  for (const { startMs, endMs, moment } of view.elements(wide)) {
    if (!moment.down) continue
    const last = records.at(-1)
    if (last?.endMs === startMs && last.reason === moment.reason) records.splice(-1, 1, { ...last, endMs })
    else records.push({ startMs, endMs, reason: moment.reason })
  }
  return records
    .filter(it => it.startMs < over.endMs && it.endMs > over.startMs)
    .map(({ startMs, endMs, reason }) => {
      const micro = endMs - startMs < view.microstopMs
      return { machineId: view.machine.id, startMs, endMs, reason, micro }
    })
}
