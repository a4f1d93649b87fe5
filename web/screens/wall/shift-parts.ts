import type { MetricSelection } from '../../data/production.ts'

interface ShiftParts {
  readonly made: number | null
  /** Parts of the same time that were expected; null: not known. */
  readonly expected: number | null
}

/**
 * Good parts of a shift, and the expected ones if they can be compared: every part was made by a job run with an expected
 * part time. Then parts of a setup and outside of the shift, for which none are expected, do not count.
 */
export function shiftParts(figures: MetricSelection | null): ShiftParts {
  const { goodParts = null, scheduledExpectedParts: expected = null } = figures ?? {}
  const total = figures?.scheduledTotalParts ?? 0
  const isComparable = Math.abs(total - (figures?.scheduledGoalParts ?? 0)) < 0.5
  if (expected === null || expected < 0.5 || !isComparable) return { made: goodParts, expected: null }
  return { made: total - (figures?.scheduledRejectedParts ?? 0), expected }
}
