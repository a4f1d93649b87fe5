import { array, ident, int64, join, literalInteger, type Sql, sql, uint32, uint8 } from '../../../clickhouse/sql/sql.ts'
import { allOf } from '../../../clickhouse/tables/from.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { modes, statuses } from '../../../schema/document.ts'
import { lookUpRuns } from '../compile/job-run-lookup.ts'
import { type DocumentScope, overHours, slotMs } from '../compile/select.ts'
import type { RefFilters } from '../plan/plan.ts'

/** The cycles of a report, and the time whose documents are read. */
interface CyclesPlan {
  /** Cycles lie wholly in it. */
  readonly range: TimeRange
  /** Contains the instants before and after each cycle. */
  readonly readRange: TimeRange
  readonly operationRef: number
  readonly filters: Pick<RefFilters, 'shifts' | 'operators'>
  /** No run's ref is higher. */
  readonly lastRun: number
}

/** The bins span at most this many widths. */
const maxWidths = 20

/** Widths of bins, ms: the least one that suffices is used. The last one suffices for lengths of centuries. */
export const binWidthsMs: readonly number[] = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map(digit => digit * 10 ** power),
).flat()

/**
 * Pure. One row: [cycleCount, p10Ms, medianMs, p90Ms, standardMs, aboveStandardCount, widthMs, firstBin, counts, shorterCount,
 * longerCount]. `standardMs` 0: none; `firstBin`: start of the first bin in widths; `counts`: cycles of each bin.
 */
export function compileCycleTimes(plan: CyclesPlan, scope: DocumentScope): Sql {
  return sql`
SELECT cycle_count AS cycleCount, p10_ms AS p10Ms, median_ms AS medianMs, p90_ms AS p90Ms, standard_ms AS standardMs,
  above_standard AS aboveStandardCount, width_ms AS widthMs, first_bin AS firstBin,
  arraySlice([${join(countsOfBins)}], 1, last_bin - first_bin + 1) AS counts,
  arrayCount(ms -> intDiv(ms, width_ms) < first_bin, lengths_ms) AS shorterCount,
  arrayCount(ms -> intDiv(ms, width_ms) > last_bin, lengths_ms) AS longerCount
FROM (
  SELECT *, arrayFirst(each -> each * ${int64(maxWidths)} >= high_ms - low_ms, ${array(int64, binWidthsMs)}) AS width_ms,
    intDiv(low_ms, width_ms) AS first_bin, intDiv(high_ms, width_ms) AS last_bin
  FROM (${bounds(plan, scope)}))`
}

/** Numbers of cycles of the first bins. One expression each: a lambda over the bins would copy all lengths for each bin. */
const countsOfBins = Array.from(
  { length: maxWidths + 1 },
  (_, bin) => sql`arrayCount(ms -> intDiv(ms, width_ms) = first_bin + ${literalInteger(bin)}, lengths_ms)`,
)

/**
 * The sorted lengths of the cycles, their percentiles by nearest rank, and the bounds of the bins: the least and greatest length or
 * standard, but no further from P10 and P90 than their distance or half of the median: rare long cycles do not widen the bins.
 */
function bounds(plan: CyclesPlan, scope: DocumentScope): Sql {
  const rank = (percent: number) => sql`lengths_ms[intDiv(cycle_count * ${uint8(percent)} + 99, 100)]`
  return sql`
    SELECT lengths_ms, standard_ms, above_standard, length(lengths_ms) AS cycle_count,
      ${rank(10)} AS p10_ms, ${rank(50)} AS median_ms, ${rank(90)} AS p90_ms,
      greatest(p90_ms - p10_ms, intDiv(median_ms, 2)) AS margin_ms,
      if(standard_ms > 0, toInt64(floor(standard_ms)), median_ms) AS shown_ms,
      greatest(least(lengths_ms[1], shown_ms), p10_ms - margin_ms) AS low_ms,
      least(greatest(lengths_ms[-1], shown_ms), p90_ms + margin_ms) AS high_ms
    FROM (
      SELECT arraySort(groupArray(cycle_ms)) AS lengths_ms, max(cycle_standard_ms) AS standard_ms,
        countIf(cycle_standard_ms > 0 AND cycle_ms > cycle_standard_ms) AS above_standard
      FROM (${cyclesOfOperation(plan, scope)}))`
}

/** Length of each cycle of the operation, and the standard of its job run (0: none), ms: [cycle_ms, cycle_standard_ms]. */
function cyclesOfOperation(plan: CyclesPlan, scope: DocumentScope): Sql {
  const { range, operationRef, lastRun } = plan
  const lookUps = lookUpRuns(['operation', 'ideal_part_ms', 'multiplier'], {
    companyRef: scope.companyRef,
    range,
    lastRun,
  })
  return sql`
        WITH ${join(lookUps)}
        SELECT cycle_ms, run_ideal_part_ms * run_multiplier AS cycle_standard_ms
        FROM (${cycles(plan, scope)})
        WHERE run_operation = ${uint32(operationRef)}`
}

/** Whole cycles within one job run, without setup, that follow and precede a known stop: [run, cycle_ms]. */
function cycles(plan: CyclesPlan, scope: DocumentScope): Sql {
  const { range, filters } = plan
  const { shifts, operators } = filters
  const conditions = [
    sql`max(begins)`,
    sql`max(ends)`,
    sql`NOT max(in_setup)`,
    sql`min(segment_run) = max(segment_run)`,
    sql`min(began) >= ${int64(range.startMs)}`,
    sql`max(ended) <= ${int64(range.endMs)}`,
    ...(shifts ? [sql`argMax(segment_shift, ended) IN ${array(uint32, shifts)}`] : []),
    ...(operators ? [sql`hasAny(${signedIn}, ${array(uint32, operators)})`] : []),
  ]
  return sql`
          SELECT any(segment_run) AS run, max(ended) - min(began) AS cycle_ms
          FROM (
            SELECT *, sum(is_first) OVER (PARTITION BY machine ORDER BY began ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS cycle
            FROM (${segmentsWithNeighbors(plan, scope)})
            WHERE in_cycle)
          GROUP BY machine, cycle
          HAVING ${allOf(conditions)}`
}

/** Operators at the end of a cycle; 0: none. */
const signedIn = sql`if(empty(argMax(segment_operators, ended)), [toUInt32(0)], argMax(segment_operators, ended))`

/** `begins`, `ends`: a stop lies directly before or after the segment; `is_first`: no segment in cycle lies directly before it. */
function segmentsWithNeighbors(plan: CyclesPlan, scope: DocumentScope): Sql {
  const follows = sql`lagInFrame(ended) OVER around = began`
  return sql`
              SELECT machine, began, ended, in_cycle, in_setup, ${join(dimensionsOf(plan))},
                (${follows}) AND lagInFrame(is_stop) OVER around AS begins,
                (leadInFrame(began) OVER around = ended) AND leadInFrame(is_stop) OVER around AS ends,
                NOT ((${follows}) AND lagInFrame(in_cycle) OVER around) AS is_first
              FROM (${segments(plan, scope)})
              WINDOW around AS (PARTITION BY machine ORDER BY began ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)`
}

/** The segments of the documents. `is_stop`: the machine is known not to be in cycle. */
function segments(plan: CyclesPlan, scope: DocumentScope): Sql {
  const dimensions = dimensionsOf(plan)
  const state = sql`segment_start, segment_end, segment_status, segment_in_cycle, segment_mode`
  const unavailable = uint8(statuses.indexOf('UNAVAILABLE'))
  return overHours(
    scope,
    plan.readRange,
    { unfold: [state, ...dimensions] },
    rows => sql`
                SELECT machine, ${slotMs} + segment_start AS began, ${slotMs} + segment_end AS ended, segment_in_cycle AS in_cycle,
                  segment_mode = ${uint8(modes.indexOf('setup'))} AS in_setup,
                  NOT segment_in_cycle AND segment_status != ${unavailable} AS is_stop, ${join(dimensions)}
                ${rows}`,
  )
}

/** Columns of the dimensions that matter: the engine unfolds each array that a query names. */
function dimensionsOf({ filters }: CyclesPlan): readonly Sql[] {
  return [
    ident('segment_run'),
    ...(filters.shifts ? [ident('segment_shift')] : []),
    ...(filters.operators ? [ident('segment_operators')] : []),
  ]
}
