import { int64, sql, uint32 } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import type { QueryOptions, Store } from '../client/store.ts'

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
  const range = {
    startMs: days.reduce((least, day) => Math.min(least, day.startMs), Infinity),
    endMs: days.reduce((most, day) => Math.max(most, day.endMs), -Infinity),
  }
  const numbers = { ...options, settings: { ...options.settings, output_format_json_quote_64bit_integers: 0 } }
  // In this order: a mark may go because its day is no longer covered, and what is covered after that was made after that.
  const marks = await store.columns<MarkColumns>(staleDays(company, range), numbers)
  const votes = await store.columns<VoteColumns>(votesOn(company, range), numbers)
  const isCovered = coveredBy(votes)
  const covered = days.filter(isCovered)
  const ends = new Map(covered.map(day => [day.startMs, day.endMs]))
  const [machines, starts, endsOfMarks] = marks
  const stale = machines
    .map((machine, i) => ({ machine, startMs: starts[i] ?? 0, endMs: endsOfMarks[i] }))
    .filter(({ startMs, endMs }) => ends.get(startMs) === endMs)
  return { covered, stale: stale.map(({ machine, startMs }) => ({ machine, startMs })) }
}

/** Machine, start and end. */
type MarkColumns = [number[], number[], number[]]

function staleDays(company: number, { startMs, endMs }: DayBounds): Sql {
  return sql`
    SELECT machine, start_ms, end_ms FROM stale_days FINAL
    WHERE company = ${uint32(company)} AND start_ms >= ${int64(startMs)} AND start_ms < ${int64(endMs)} AND stale = 1
    ORDER BY start_ms, machine`
}

/** Start, end, the partitions that cover it; of the partitions' own words also how many there are, their first hours and versions. */
type VoteColumns = [number[], number[], number[][], number[][], number[][], string[][]]

function votesOn(company: number, { startMs, endMs }: DayBounds): Sql {
  const isWord = sql`start_ms = 0 AND end_ms = 0`
  return sql`
    SELECT start_ms, end_ms, groupArray(partition), groupArrayIf(partitions, ${isWord}), groupArrayIf(first_ms, ${isWord}),
      groupArrayIf(toString(ver), ${isWord})
    FROM day_coverage FINAL
    WHERE company = ${uint32(company)} AND covered = 1
      AND ((${isWord}) OR (start_ms >= ${int64(startMs)} AND start_ms < ${int64(endMs)}))
      AND (partition, epoch) IN (
        SELECT partition, epoch FROM day_coverage FINAL WHERE company = ${uint32(company)} AND ${isWord})
    GROUP BY start_ms, end_ms`
}

/**
 * A day is covered where each partition either has no hours up to its end, or covers it in the epoch that counts. How many
 * partitions there are says who took over last.
 */
function coveredBy([starts, ends, voters, ...words]: VoteColumns): (day: DayBounds) => boolean {
  const word = ends.findIndex((endMs, i) => endMs === 0 && starts[i] === 0)
  const [partitions, firsts, versions] = words.map(column => column[word] ?? [])
  const firstOf = new Map<number, number>()
  let [everyone, latest] = [Infinity, -1n]
  for (const [i, version] of (versions ?? []).entries()) {
    if (BigInt(version) <= latest) continue
    latest = BigInt(version)
    everyone = Number(partitions?.[i])
  }
  for (const [i, partition] of (voters[word] ?? []).entries()) {
    if (Number(partitions?.[i]) === everyone) firstOf.set(partition, Number(firsts?.[i]))
  }
  const votes = new Map(starts.map((startMs, i) => [`${startMs}/${ends[i]}`, new Set(voters[i])]))
  return ({ startMs, endMs }) => {
    const covering = votes.get(`${startMs}/${endMs}`)
    let agreed = 0
    for (const [partition, firstMs] of firstOf) {
      if (partition < everyone && (firstMs >= endMs || covering?.has(partition))) agreed++
    }
    return agreed === everyone
  }
}
