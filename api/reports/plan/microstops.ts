import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs } from '../../../shared/time/units.ts'

/** Minimum length of counted records by the `ref` of their machine, ms; only lengths above 0. */
export type Microstops = ReadonlyMap<number, number>

/** No microstop is longer. */
const maxMicrostopMs = hourMs

/** Extends a range (until now at most) so that it contains the ends of all microstops which begin in it. */
export function withMicrostopEnds({ startMs, endMs }: TimeRange, microstops: Microstops, nowMs: number): TimeRange {
  return { startMs, endMs: microstops.size > 0 ? Math.min(endMs + maxMicrostopMs, nowMs) : endMs }
}
