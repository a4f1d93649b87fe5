import type { Interval } from '../intervals/interval.ts'

/** First and last sample within a minute, UTC ms. */
export interface Activity {
  readonly firstMs: number
  readonly lastMs: number
}

/**
 * Returns the times from a sample to the next one, in order; after the last sample without an end. Samples of one minute
 * count as continuous: silence is shorter than a minute there, and rules require at least a minute.
 */
export function silences(activity: readonly Activity[]): readonly Interval[] {
  return activity.flatMap(({ lastMs }, index) => {
    const endMs = activity[index + 1]?.firstMs ?? Infinity
    return lastMs < endMs ? [{ startMs: lastMs, endMs }] : []
  })
}
