import { array, int64, sql, uint32 } from './sql.ts'
import type { Sql } from './sql.ts'
import type { QueryOptions, Store } from './store.ts'

/** A shop day by its bounds, UTC ms. */
export interface DayBounds {
  readonly startMs: number
  readonly endMs: number
}

/** Which days of a company may be read from `days`. */
export interface DayCoverage {
  /** In the order asked for. Every machine that has hours in such a day has a row in `days` with these bounds. */
  readonly covered: readonly DayBounds[]
  /** Of the covered days, by start: these machines' rows may be out of date, so they are read from hours. */
  readonly stale: readonly { readonly machine: number; readonly startMs: number }[]
}

/**
 * Which of the days asked for have documents, with exactly these bounds, that equal the hours stored when this is called. Hours
 * that are rewritten after that may or may not be in them. Two queries; rejects with `StoreError`.
 */
export async function readDayCoverage(
  store: Store,
  company: number,
  days: readonly DayBounds[],
  options: QueryOptions = {},
): Promise<DayCoverage> {
  if (days.length === 0) return { covered: [], stale: [] }
  const fromMs = days.reduce((least, day) => Math.min(least, day.startMs), Infinity)
  const toMs = days.reduce((most, day) => Math.max(most, day.endMs), -Infinity)
  const asked = { company, days, fromMs, toMs }
  const numbers: QueryOptions = {
    ...options,
    settings: { ...options.settings, output_format_json_quote_64bit_integers: 0 },
  }
  // In this order: a mark may go because its day is no longer covered, and what is covered after that was made after that.
  const [machine, start, end] = await store.columns<[number[], number[], number[]]>(staleDays(asked), numbers)
  const [startMs, endMs] = await store.columns<[number[], number[]]>(coveredDays(asked), numbers)
  const bounds = new Set(startMs.map((at, i) => `${at}/${endMs[i]}`))
  const covered = days.filter(day => bounds.has(`${day.startMs}/${day.endMs}`))
  const ends = new Map(covered.map(day => [day.startMs, day.endMs]))
  const stale = machine.map((ref, i) => ({ machine: ref, startMs: start[i] ?? 0, endMs: end[i] }))
  return {
    covered,
    stale: stale
      .filter(day => ends.get(day.startMs) === day.endMs)
      .map(({ machine, startMs }) => ({ machine, startMs })),
  }
}

interface Asked {
  readonly company: number
  readonly days: readonly DayBounds[]
  /** Bounds of all of them. */
  readonly fromMs: number
  readonly toMs: number
}

function staleDays({ company, fromMs, toMs }: Asked): Sql {
  return sql`
    SELECT machine, start_ms, end_ms FROM stale_days FINAL
    WHERE company = ${uint32(company)} AND start_ms >= ${int64(fromMs)} AND start_ms < ${int64(toMs)} AND stale = 1
    ORDER BY start_ms, machine`
}

/**
 * A day is covered where each partition either has no hours up to its end, or covers it in the epoch that counts. How many
 * partitions there are says who took over last.
 */
function coveredDays({ company, days, fromMs, toMs }: Asked): Sql {
  const starts = array(
    int64,
    days.map(({ startMs }) => startMs),
  )
  const ends = array(
    int64,
    days.map(({ endMs }) => endMs),
  )
  return sql`
    WITH
      words AS (
        SELECT partition, partitions, first_ms, epoch, ver FROM day_coverage FINAL
        WHERE company = ${uint32(company)} AND start_ms = 0 AND end_ms = 0),
      (SELECT argMax(partitions, ver) FROM words) AS everyone
    SELECT start_ms, end_ms FROM (
      SELECT partition, day.1 AS start_ms, day.2 AS end_ms
      FROM words ARRAY JOIN arrayZip(${starts}, ${ends}) AS day
      WHERE partitions = everyone AND partition < everyone AND first_ms >= day.2
      UNION ALL
      SELECT partition, start_ms, end_ms FROM day_coverage FINAL
      WHERE company = ${uint32(company)} AND start_ms >= ${int64(fromMs)} AND start_ms < ${int64(toMs)} AND covered = 1
        AND (partition, epoch) IN (SELECT partition, epoch FROM words WHERE partitions = everyone AND partition < everyone))
    GROUP BY start_ms, end_ms
    HAVING uniqExact(partition) = everyone
    ORDER BY start_ms`
}
