import { type Sql, sql } from '../../clickhouse/sql.ts'

/**
 * What the store adds up per row of its answer, and the quantities of a piece of a machine's time that each is made of. Pieces
 * come from the `sources`; their columns besides the quantities are shift, run, ops, mode, scheduled and nonoptional.
 */
export interface Measure {
  readonly quantities: readonly Quantity[]
  /** An aggregate over pieces; Float64, null only over nothing. */
  readonly sql: Sql
}

/** Columns of a piece: ms, parts as stored, or counts. Whose they are by family: a source provides whole families. */
export const families = {
  time: ['ms', 'cycle', 'spindle', 'cut', 'began', 'ended'],
  made: ['parts'],
  adjusted: ['adjusted', 'scrap', 'nonconform'],
  reason: ['planned', 'uncategorized'],
  setup: ['setups'],
} as const
export type Family = keyof typeof families
export type Quantity = (typeof families)[Family][number]

const worked = sql`scheduled AND mode != 1`

export const measures = {
  allMs: { quantities: ['ms'], sql: sql`sum(ms)` },
  inCycleMs: { quantities: ['cycle'], sql: sql`sum(cycle)` },
  spindleMs: { quantities: ['spindle'], sql: sql`sum(spindle)` },
  cutMs: { quantities: ['cut'], sql: sql`sum(cut)` },
  setupMs: { quantities: ['ms'], sql: sql`sumIf(ms, mode = 1)` },
  productionMs: { quantities: ['ms'], sql: sql`sumIf(ms, mode = 2)` },
  productionInCycleMs: { quantities: ['cycle'], sql: sql`sumIf(cycle, mode = 2)` },
  workedMs: { quantities: ['ms'], sql: sql`sumIf(ms, ${worked})` },
  workedInCycleMs: { quantities: ['cycle'], sql: sql`sumIf(cycle, ${worked})` },
  nonOptionalMs: { quantities: ['ms'], sql: sql`sumIf(ms, nonoptional)` },
  nonOptionalInCycleMs: { quantities: ['cycle'], sql: sql`sumIf(cycle, nonoptional)` },
  downMs: { quantities: ['ms', 'cycle'], sql: sql`sumIf(ms, scheduled) - sumIf(cycle, scheduled)` },
  plannedDownMs: { quantities: ['planned'], sql: sql`sum(planned)` },
  uncategorizedDownMs: { quantities: ['uncategorized'], sql: sql`sum(uncategorized)` },
  reportedParts: { quantities: ['parts'], sql: sql`sum(parts)` },
  adjustedParts: { quantities: ['adjusted'], sql: sql`sum(adjusted)` },
  scrapParts: { quantities: ['scrap'], sql: sql`sum(scrap)` },
  nonconformParts: { quantities: ['nonconform'], sql: sql`sum(nonconform)` },
  workedReportedParts: { quantities: ['parts'], sql: sql`sumIf(parts, ${worked})` },
  workedAdjustedParts: { quantities: ['adjusted'], sql: sql`sumIf(adjusted, ${worked})` },
  workedRejectedParts: { quantities: ['scrap', 'nonconform'], sql: sql`sumIf(scrap + nonconform, ${worked})` },
  setups: { quantities: ['setups'], sql: sql`sum(setups)` },
  firstRunMs: { quantities: ['ms', 'began'], sql: sql`minOrNullIf(began, run != 0 AND ms > 0)` },
  lastRunMs: { quantities: ['ms', 'ended'], sql: sql`maxOrNullIf(ended, run != 0 AND ms > 0)` },
} as const satisfies Record<string, Measure>

export type MeasureName = keyof typeof measures
/** One row's measures; null where an extreme is over nothing. */
export type Measures = Readonly<Record<MeasureName, number | null>>
