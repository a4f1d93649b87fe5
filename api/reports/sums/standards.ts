import type { Thresholds } from '../../../schema/records/thresholds.ts'

/** Columns of `job_runs` with the values that runs have of their own, by job standard. Thresholds are those of the run's operation. */
export const runColumns = {
  multiplier: 'multiplier',
  ideal_part_ms: 'ideal_part_ms',
  expected_part_ms: 'expected_part_ms',
  expected_setup_ms: 'expected_setup_ms',
  oeeWarning: 'oee_warning',
  oeeFailure: 'oee_failure',
  partsGoalWarning: 'parts_goal_warning',
  partsGoalFailure: 'parts_goal_failure',
  utilizationWarning: 'utilization_warning',
  utilizationFailure: 'utilization_failure',
} as const satisfies Readonly<Record<TimeStandard | keyof Thresholds, string>>

type TimeStandard = 'multiplier' | 'ideal_part_ms' | 'expected_part_ms' | 'expected_setup_ms'

/** A value by which time or parts are measured: a part time, a multiplier of parts, a threshold. */
export type StandardName = keyof typeof runColumns
export type RunColumn = (typeof runColumns)[StandardName]
