import { minuteMs } from '../../shared/time/units.ts'
import type { Activity } from '../holds/silence.ts'
import { type Interval, joinIntervals } from '../intervals/interval.ts'

/** How much longer a gap of a machine may be than that of its partition: the usual time to the next sample. */
const maxExtensionMs = minuteMs

/**
 * Returns the evaluation gaps of a machine: those of its partition, each until the machine's next sample, at most a minute
 * longer. `activity` is in order.
 */
export function machineGaps(gaps: readonly Interval[], activity: readonly Activity[]): readonly Interval[] {
  return joinIntervals(
    gaps.map(({ startMs, endMs }) => {
      const next = activity.find(({ lastMs }) => lastMs >= endMs)
      const nextMs = next ? Math.max(next.firstMs, endMs) : Infinity
      return { startMs, endMs: Math.min(nextMs, endMs + maxExtensionMs) }
    }),
  )
}
