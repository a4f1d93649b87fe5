import { type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import type { Thresholds } from '../../../schema/records.ts'
import type { SumName } from '../../../schema/sums.ts'

/** What holds throughout a piece of a machine's time; `at` is the second in which its cell began. */
export const dimensions = ['at', 'shift', 'run', 'ops', 'mode', 'scheduled', 'nonoptional'] as const
/** What a piece adds: ms, parts as stored, numbers of setups; began and ended are UTC ms. */
export const quantities = [
  ...(['ms', 'cycle', 'spindle', 'cut', 'began', 'ended'] as const),
  ...(['parts', 'adjusted', 'scrap', 'nonconform', 'planned', 'uncategorized', 'setups'] as const),
] as const
/** What the piece's run (or the machine, the company) makes of it: see `worth-columns.ts`. */
export type WorthColumn = 'multiplier' | 'ideal_part_ms' | 'expected_part_ms' | 'expected_setup_ms' | keyof Thresholds
export type DimensionColumn = (typeof dimensions)[number]
export type Quantity = (typeof quantities)[number]
export type PieceColumn = DimensionColumn | Quantity

/** How the store makes a sum of a group's pieces (`sources.ts`). */
export interface SumColumn {
  /** Columns of the pieces that `sql` reads. */
  readonly pieces: readonly PieceColumn[]
  /** Columns of what the pieces are worth that `sql` reads. */
  readonly worth: readonly WorthColumn[]
  /** An extreme is null over nothing. */
  readonly sql: Sql
}

const worked = sql`scheduled AND mode != 1`
const whileWorked = ['scheduled', 'mode'] as const
const rejected = ['scrap', 'nonconform', ...whileWorked] as const
const total = sql`parts * multiplier + adjusted + scrap + nonconform`
const totalPieces = ['parts', 'adjusted', ...rejected] as const

// Where fractions are added, by Kahan: the engine's threads add in an order that changes, and a report must not.
export const sumColumns = {
  allMs: of(['ms'], sql`sum(ms)`),
  inCycleMs: of(['cycle'], sql`sum(cycle)`),
  spindleMs: of(['spindle'], sql`sum(spindle)`),
  cutMs: of(['cut'], sql`sum(cut)`),
  setupMs: of(['ms', 'mode'], sql`sumIf(ms, mode = 1)`),
  productionMs: of(['ms', 'mode'], sql`sumIf(ms, mode = 2)`),
  productionInCycleMs: of(['cycle', 'mode'], sql`sumIf(cycle, mode = 2)`),
  workedMs: of(['ms', ...whileWorked], sql`sumIf(ms, ${worked})`),
  workedInCycleMs: of(['cycle', ...whileWorked], sql`sumIf(cycle, ${worked})`),
  nonOptionalMs: of(['ms', 'nonoptional'], sql`sumIf(ms, nonoptional)`),
  nonOptionalInCycleMs: of(['cycle', 'nonoptional'], sql`sumIf(cycle, nonoptional)`),
  downMs: of(['ms', 'cycle', 'scheduled'], sql`sumIf(ms - cycle, scheduled)`),
  plannedDownMs: of(['planned'], sql`sum(planned)`),
  uncategorizedDownMs: of(['uncategorized'], sql`sum(uncategorized)`),
  goodParts: of(['parts', 'adjusted'], sql`sumKahan(parts * multiplier + adjusted)`, 'multiplier'),
  scrapParts: of(['scrap'], sql`sum(scrap)`),
  nonconformParts: of(['nonconform'], sql`sum(nonconform)`),
  workedTotalParts: of(totalPieces, sql`sumKahanIf(${total}, ${worked})`, 'multiplier'),
  workedRejectedParts: of(rejected, sql`sumIf(scrap + nonconform, ${worked})`),
  idealWorkedMs: of(['ms', ...whileWorked], sql`sumIf(ms, ${worked} AND ideal_part_ms != 0)`, 'ideal_part_ms'),
  idealWorkedParts: of(
    ['ms', ...whileWorked],
    sql`sumKahanIf(ms / ideal_part_ms, ${worked} AND ideal_part_ms != 0)`,
    'ideal_part_ms',
  ),
  idealInCycleParts: of(
    ['cycle', ...whileWorked],
    sql`sumKahanIf(cycle / ideal_part_ms, ${worked} AND ideal_part_ms != 0)`,
    'ideal_part_ms',
  ),
  idealActualParts: of(
    totalPieces,
    sql`sumKahanIf(${total}, ${worked} AND ideal_part_ms != 0)`,
    'multiplier',
    'ideal_part_ms',
  ),
  // A part time counts where its run has any time.
  idealPartMs: of(['ms'], sql`maxOrNullIf(ideal_part_ms, ms > 0 AND ideal_part_ms != 0)`, 'ideal_part_ms'),
  expectedWorkedMs: of(['ms', ...whileWorked], sql`sumIf(ms, ${worked} AND expected_part_ms != 0)`, 'expected_part_ms'),
  expectedWorkedParts: of(
    ['ms', ...whileWorked],
    sql`sumKahanIf(ms / expected_part_ms, ${worked} AND expected_part_ms != 0)`,
    'expected_part_ms',
  ),
  expectedActualParts: of(
    totalPieces,
    sql`sumKahanIf(${total}, ${worked} AND expected_part_ms != 0)`,
    'multiplier',
    'expected_part_ms',
  ),
  expectedPartMs: of(['ms'], sql`maxOrNullIf(expected_part_ms, ms > 0 AND expected_part_ms != 0)`, 'expected_part_ms'),
  expectedSetupMs: of(['setups'], sql`sum(setups * expected_setup_ms)`, 'expected_setup_ms'),
  firstRunMs: of(['ms', 'began', 'run'], sql`minOrNullIf(began, run != 0 AND ms > 0)`),
  lastRunMs: of(['ms', 'ended', 'run'], sql`maxOrNullIf(ended, run != 0 AND ms > 0)`),
  oeeWarningWeight: of(['ms', ...whileWorked], sql`sumKahanIf(ms * oeeWarning, ${worked})`, 'oeeWarning'),
  oeeFailureWeight: of(['ms', ...whileWorked], sql`sumKahanIf(ms * oeeFailure, ${worked})`, 'oeeFailure'),
  partsGoalWarningWeight: of(
    ['ms', ...whileWorked],
    sql`sumKahanIf(ms * partsGoalWarning, ${worked})`,
    'partsGoalWarning',
  ),
  partsGoalFailureWeight: of(
    ['ms', ...whileWorked],
    sql`sumKahanIf(ms * partsGoalFailure, ${worked})`,
    'partsGoalFailure',
  ),
  utilizationWarningWeight: of(['ms'], sql`sumKahan(ms * utilizationWarning)`, 'utilizationWarning'),
  utilizationFailureWeight: of(['ms'], sql`sumKahan(ms * utilizationFailure)`, 'utilizationFailure'),
} as const satisfies Record<SumName, SumColumn>

function of(pieces: readonly PieceColumn[], sum: Sql, ...worth: readonly WorthColumn[]): SumColumn {
  return { pieces, worth, sql: sum }
}
