import { big, narrow, listOf, wide, machineRef } from '../client/kinds.ts'
import { itemAt, type RowOf, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { int64, sql } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import { dayCoverage, staleDays } from '../tables/documents.ts'
import { from } from '../tables/from.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** A shop day by its bounds, UTC ms. */
export interface DayBounds {
  readonly startMs: number
  readonly endMs: number
}

/** Days of a company that may be read from `days`. */
export interface DayCoverage {
  /** In the order asked for. Every machine that has hours in such a day has a row in `days` with these bounds. */
  readonly covered: readonly DayBounds[]
  /** Machines whose rows of covered days may be out of date, by start of day: these days are read from hours. */
  readonly stale: readonly { readonly machineRef: MachineRef; readonly startMs: number }[]
}

/**
 * Finds the requested days with documents of exactly these bounds. The documents equal the stored hours at the time of
 * the call; they may or may not include hours that are rewritten later. Sends two queries; rejects with `StoreError`.
 */
export async function readDayCoverage(
  store: Store,
  companyRef: CompanyRef,
  days: readonly DayBounds[],
  options: QueryOptions = {},
): Promise<DayCoverage> {
  if (days.length === 0) return { covered: [], stale: [] }
  const range = {
    startMs: days.reduce((least, day) => Math.min(least, day.startMs), Infinity),
    endMs: days.reduce((most, day) => Math.max(most, day.endMs), -Infinity),
  }
  // Reads marks first: a mark may go because its day is no longer covered; a document that covers the day later is newer.
  const marks = await rows(store, marksIn(companyRef, range), { machineRef, startMs: wide, endMs: wide }, options)
  const isCovered = coveredBy(await rows(store, votesOn(companyRef, range), voteShape, options))
  const covered = days.filter(isCovered)
  const ends = new Map(covered.map(day => [day.startMs, day.endMs]))
  const stale = marks.filter(({ startMs, endMs }) => ends.get(startMs) === endMs)
  return { covered, stale: stale.map(({ machineRef, startMs }) => ({ machineRef, startMs })) }
}

function marksIn(companyRef: CompanyRef, { startMs, endMs }: DayBounds): Sql {
  const where = [sql`start_ms >= ${int64(startMs)}`, sql`start_ms < ${int64(endMs)}`, sql`stale = 1`]
  return sql`
    SELECT machine AS machineRef, start_ms AS startMs, end_ms AS endMs ${from(staleDays, companyRef, { final: true, where })}
    ORDER BY startMs, machine`
}

/**
 * A day with the partitions that cover it; for the ownership rows also the number of partitions, their first hours and
 * versions.
 */
const voteShape = {
  startMs: wide,
  endMs: wide,
  voters: listOf(narrow),
  partition_counts: listOf(narrow),
  first_hours: listOf(wide),
  versions: listOf(big),
} as const
type Vote = RowOf<typeof voteShape>

function votesOn(companyRef: CompanyRef, { startMs, endMs }: DayBounds): Sql {
  const isOwnership = sql`(start_ms = 0 AND end_ms = 0)`
  const inEpoch = sql`(partition, epoch) IN (
        SELECT partition, epoch ${from(dayCoverage, companyRef, { final: true, where: [isOwnership] })})`
  const where = [
    sql`covered = 1`,
    sql`(${isOwnership} OR (start_ms >= ${int64(startMs)} AND start_ms < ${int64(endMs)}))`,
    inEpoch,
  ]
  return sql`
    SELECT start_ms AS startMs, end_ms AS endMs, groupArray(partition) AS voters,
      groupArrayIf(partitions, ${isOwnership}) AS partition_counts, groupArrayIf(first_ms, ${isOwnership}) AS first_hours,
      groupArrayIf(toString(version), ${isOwnership}) AS versions
    ${from(dayCoverage, companyRef, { final: true, where })}
    GROUP BY start_ms, end_ms`
}

/**
 * A day is covered if each partition has no hours up to its end, or covers it in its current epoch. The number of partitions identifies the
 * last owner.
 */
function coveredBy(votes: readonly Vote[]): (day: DayBounds) => boolean {
  const ownership = votes.find(({ startMs, endMs }) => startMs === 0 && endMs === 0)
  const owners = ownership ? ownersOf(ownership) : []
  const latest = owners.toSorted((a, b) => (a.version < b.version ? 1 : -1))[0]
  const everyone = latest?.partitions ?? Infinity
  const current = owners.filter(({ partitions }) => partitions === everyone)
  const firstOf = new Map(current.map(({ partition, firstMs }) => [partition, firstMs]))
  const covering = new Map(votes.map(({ startMs, endMs, voters }) => [`${startMs}/${endMs}`, new Set(voters)]))
  return ({ startMs, endMs }) => {
    const voters = covering.get(`${startMs}/${endMs}`)
    let agreed = 0
    for (const [partition, firstMs] of firstOf) {
      if (partition < everyone && (firstMs >= endMs || voters?.has(partition))) agreed++
    }
    return agreed === everyone
  }
}

function ownersOf({ voters, partition_counts: counts, first_hours: firsts, versions }: Vote) {
  return voters.map((partition, i) => ({
    partition,
    partitions: itemAt(counts, i),
    firstMs: itemAt(firsts, i),
    version: itemAt(versions, i),
  }))
}
