import type { Thresholds } from '../../../schema/records/thresholds.ts'
import { type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import type { SumName } from '../../../schema/sums.ts'

/** Columns of `job_runs` with the values of runs, by job standard. Thresholds are those of the operation of the run. */
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

/** Columns that are constant within an element; `at` is the second in which its cell begins. */
const dimensions = ['at', 'shift', 'run', 'operators', 'mode', 'scheduled', 'non_optional'] as const
/** Quantities of an element: ms, parts as stored, numbers of setups; began and ended are UTC ms. */
const quantities = [
  ...(['duration_ms', 'in_cycle_ms', 'spindle_ms', 'cut_ms', 'began', 'ended'] as const),
  ...(['parts', 'adjusted', 'scrap', 'nonconform', 'planned', 'uncategorized', 'setups'] as const),
] as const
export type DimensionColumn = (typeof dimensions)[number]
export type Quantity = (typeof quantities)[number]
export type ElementColumn = DimensionColumn | Quantity

/** SQL of a sum of a group over the columns of `compile/elements.ts`. */
interface SumColumn {
  readonly columns: readonly ElementColumn[]
  readonly standards: readonly StandardName[]
  /** An extreme without rows is null. */
  readonly sql: Sql
}

const worked = sql`scheduled AND mode != 1`
const whileWorked = ['scheduled', 'mode'] as const
const rejected = ['scrap', 'nonconform', ...whileWorked] as const
const total = sql`parts * multiplier + adjusted + scrap + nonconform`
const totalElements = ['parts', 'adjusted', ...rejected] as const

// Fractions are added by Kahan summation: the threads of the engine add in a varying order, and the report must not
// vary.
export const sumColumns = {
  allMs: of(['duration_ms'], sql`sum(duration_ms)`),
  inCycleMs: of(['in_cycle_ms'], sql`sum(in_cycle_ms)`),
  spindleMs: of(['spindle_ms'], sql`sum(spindle_ms)`),
  cutMs: of(['cut_ms'], sql`sum(cut_ms)`),
  setupMs: of(['duration_ms', 'mode'], sql`sumIf(duration_ms, mode = 1)`),
  productionMs: of(['duration_ms', 'mode'], sql`sumIf(duration_ms, mode = 2)`),
  productionInCycleMs: of(['in_cycle_ms', 'mode'], sql`sumIf(in_cycle_ms, mode = 2)`),
  workedMs: of(['duration_ms', ...whileWorked], sql`sumIf(duration_ms, ${worked})`),
  workedInCycleMs: of(['in_cycle_ms', ...whileWorked], sql`sumIf(in_cycle_ms, ${worked})`),
  nonOptionalMs: of(['duration_ms', 'non_optional'], sql`sumIf(duration_ms, non_optional)`),
  nonOptionalInCycleMs: of(['in_cycle_ms', 'non_optional'], sql`sumIf(in_cycle_ms, non_optional)`),
  downMs: of(['duration_ms', 'in_cycle_ms', 'scheduled'], sql`sumIf(duration_ms - in_cycle_ms, scheduled)`),
  plannedDownMs: of(['planned'], sql`sum(planned)`),
  uncategorizedDownMs: of(['uncategorized'], sql`sum(uncategorized)`),
  goodParts: of(['parts', 'adjusted'], sql`sumKahan(parts * multiplier + adjusted)`, 'multiplier'),
  scrapParts: of(['scrap'], sql`sum(scrap)`),
  nonconformParts: of(['nonconform'], sql`sum(nonconform)`),
  workedTotalParts: of(totalElements, sql`sumKahanIf(${total}, ${worked})`, 'multiplier'),
  workedRejectedParts: of(rejected, sql`sumIf(scrap + nonconform, ${worked})`),
  idealWorkedMs: of(
    ['duration_ms', ...whileWorked],
    sql`sumIf(duration_ms, ${worked} AND ideal_part_ms != 0)`,
    'ideal_part_ms',
  ),
  idealWorkedParts: of(
    ['duration_ms', ...whileWorked],
    sql`sumKahanIf(duration_ms / ideal_part_ms, ${worked} AND ideal_part_ms != 0)`,
    'ideal_part_ms',
  ),
  idealInCycleParts: of(
    ['in_cycle_ms', ...whileWorked],
    sql`sumKahanIf(in_cycle_ms / ideal_part_ms, ${worked} AND ideal_part_ms != 0)`,
    'ideal_part_ms',
  ),
  idealActualParts: of(
    totalElements,
    sql`sumKahanIf(${total}, ${worked} AND ideal_part_ms != 0)`,
    'multiplier',
    'ideal_part_ms',
  ),
  // A part time counts where its run has any time.
  idealPartMs: of(
    ['duration_ms'],
    sql`maxOrNullIf(ideal_part_ms, duration_ms > 0 AND ideal_part_ms != 0)`,
    'ideal_part_ms',
  ),
  expectedWorkedMs: of(
    ['duration_ms', ...whileWorked],
    sql`sumIf(duration_ms, ${worked} AND expected_part_ms != 0)`,
    'expected_part_ms',
  ),
  expectedWorkedParts: of(
    ['duration_ms', ...whileWorked],
    sql`sumKahanIf(duration_ms / expected_part_ms, ${worked} AND expected_part_ms != 0)`,
    'expected_part_ms',
  ),
  expectedActualParts: of(
    totalElements,
    sql`sumKahanIf(${total}, ${worked} AND expected_part_ms != 0)`,
    'multiplier',
    'expected_part_ms',
  ),
  expectedPartMs: of(
    ['duration_ms'],
    sql`maxOrNullIf(expected_part_ms, duration_ms > 0 AND expected_part_ms != 0)`,
    'expected_part_ms',
  ),
  expectedSetupMs: of(['setups'], sql`sum(setups * expected_setup_ms)`, 'expected_setup_ms'),
  firstRunMs: of(['duration_ms', 'began', 'run'], sql`minOrNullIf(began, run != 0 AND duration_ms > 0)`),
  lastRunMs: of(['duration_ms', 'ended', 'run'], sql`maxOrNullIf(ended, run != 0 AND duration_ms > 0)`),
  oeeWarningWeight: of(
    ['duration_ms', ...whileWorked],
    sql`sumKahanIf(duration_ms * oeeWarning, ${worked})`,
    'oeeWarning',
  ),
  oeeFailureWeight: of(
    ['duration_ms', ...whileWorked],
    sql`sumKahanIf(duration_ms * oeeFailure, ${worked})`,
    'oeeFailure',
  ),
  partsGoalWarningWeight: of(
    ['duration_ms', ...whileWorked],
    sql`sumKahanIf(duration_ms * partsGoalWarning, ${worked})`,
    'partsGoalWarning',
  ),
  partsGoalFailureWeight: of(
    ['duration_ms', ...whileWorked],
    sql`sumKahanIf(duration_ms * partsGoalFailure, ${worked})`,
    'partsGoalFailure',
  ),
  utilizationWarningWeight: of(['duration_ms'], sql`sumKahan(duration_ms * utilizationWarning)`, 'utilizationWarning'),
  utilizationFailureWeight: of(['duration_ms'], sql`sumKahan(duration_ms * utilizationFailure)`, 'utilizationFailure'),
} as const satisfies Record<SumName, SumColumn>

function of(columns: readonly ElementColumn[], sum: Sql, ...standards: readonly StandardName[]): SumColumn {
  return { columns, standards, sql: sum }
}
