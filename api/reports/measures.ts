import { type Sql, sql } from '../../clickhouse/sql.ts'

/** What holds throughout a piece of a machine's time; `at` is the second in which its cell began. */
export const dimensions = ['at', 'shift', 'run', 'ops', 'mode', 'scheduled', 'nonoptional'] as const
/** What a piece adds: ms, parts as stored, numbers of setups; began and ended are UTC ms. */
export const quantities = [
  ...(['ms', 'cycle', 'spindle', 'cut', 'began', 'ended'] as const),
  ...(['parts', 'adjusted', 'scrap', 'nonconform', 'planned', 'uncategorized', 'setups'] as const),
] as const
export type DimensionColumn = (typeof dimensions)[number]
export type Quantity = (typeof quantities)[number]
export type PieceColumn = DimensionColumn | Quantity

/** What the store adds up over the pieces (`sources.ts`) of a group. */
export interface Measure {
  /** Columns of the pieces that `sql` reads. */
  readonly columns: readonly PieceColumn[]
  readonly sql: Sql
}

const worked = sql`scheduled AND mode != 1`
const whileWorked = ['scheduled', 'mode'] as const

export const measures = {
  allMs: { columns: ['ms'], sql: sql`sum(ms)` },
  inCycleMs: { columns: ['cycle'], sql: sql`sum(cycle)` },
  spindleMs: { columns: ['spindle'], sql: sql`sum(spindle)` },
  cutMs: { columns: ['cut'], sql: sql`sum(cut)` },
  setupMs: { columns: ['ms', 'mode'], sql: sql`sumIf(ms, mode = 1)` },
  productionMs: { columns: ['ms', 'mode'], sql: sql`sumIf(ms, mode = 2)` },
  productionInCycleMs: { columns: ['cycle', 'mode'], sql: sql`sumIf(cycle, mode = 2)` },
  workedMs: { columns: ['ms', ...whileWorked], sql: sql`sumIf(ms, ${worked})` },
  workedInCycleMs: { columns: ['cycle', ...whileWorked], sql: sql`sumIf(cycle, ${worked})` },
  nonOptionalMs: { columns: ['ms', 'nonoptional'], sql: sql`sumIf(ms, nonoptional)` },
  nonOptionalInCycleMs: { columns: ['cycle', 'nonoptional'], sql: sql`sumIf(cycle, nonoptional)` },
  downMs: { columns: ['ms', 'cycle', 'scheduled'], sql: sql`sumIf(ms - cycle, scheduled)` },
  plannedDownMs: { columns: ['planned'], sql: sql`sum(planned)` },
  uncategorizedDownMs: { columns: ['uncategorized'], sql: sql`sum(uncategorized)` },
  reportedParts: { columns: ['parts'], sql: sql`sum(parts)` },
  adjustedParts: { columns: ['adjusted'], sql: sql`sum(adjusted)` },
  scrapParts: { columns: ['scrap'], sql: sql`sum(scrap)` },
  nonconformParts: { columns: ['nonconform'], sql: sql`sum(nonconform)` },
  workedReportedParts: { columns: ['parts', ...whileWorked], sql: sql`sumIf(parts, ${worked})` },
  workedAdjustedParts: { columns: ['adjusted', ...whileWorked], sql: sql`sumIf(adjusted, ${worked})` },
  workedRejectedParts: {
    columns: ['scrap', 'nonconform', ...whileWorked],
    sql: sql`sumIf(scrap + nonconform, ${worked})`,
  },
  setups: { columns: ['setups'], sql: sql`sum(setups)` },
  firstRunMs: { columns: ['ms', 'began', 'run'], sql: sql`minOrNullIf(began, run != 0 AND ms > 0)` },
  lastRunMs: { columns: ['ms', 'ended', 'run'], sql: sql`maxOrNullIf(ended, run != 0 AND ms > 0)` },
} as const satisfies Record<string, Measure>

export type MeasureName = keyof typeof measures
export const measureNames = Object.keys(measures).filter(isMeasureName)

function isMeasureName(name: string): name is MeasureName {
  return Object.hasOwn(measures, name)
}
