import type { MemoryLimits } from '../../schema/commands/stored-records.ts'
import { type Change, changeBetween, type RecordKinds } from '../../schema/records/record-kinds.ts'
import { type TimedKindName, timedKindNames } from '../../schema/records/timed-records.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import { storedText, wide } from '../client/kinds.ts'
import { firstRow, ofPipeline, rows, type Shape } from '../client/rows.ts'
import type { StoreReads } from '../client/store.ts'
import { array, empty, int64, join, literalInteger, type Sql, sql, str } from '../sql/sql.ts'
import { allOf, fromAll } from '../tables/from.ts'
import { annotationsByMachine } from '../tables/record-kinds.ts'
import { identifier } from '../tables/table.ts'
import { month, startsIn } from './start-conditions.ts'
import { position, type TimedKind, timedKinds } from './timed-records.ts'

const why = 'every process needs the records of all companies'

/**
 * Chooses the time from which the records with a time are taken into memory, UTC ms; -Infinity: all of them, because
 * they are few. Counts rows, of which a record may have several.
 */
export async function chooseHorizon(
  store: StoreReads,
  { maxAgeMs, minAgeMs, maxRecords, maxRecordsPerMachine, slack }: MemoryLimits,
  nowMs: number,
  machineCount: number,
): Promise<number> {
  const all = timedKindNames.map(name => sql`SELECT count() AS rows ${fromAll(timedKinds[name].table, why)}`)
  const total = await firstRow(
    store,
    sql`SELECT toInt64(sum(rows)) AS total FROM (${join(all, sql` UNION ALL `)})`,
    { total: wide },
    ofPipeline,
  )
  if ((total?.total ?? 0) <= slack) return -Infinity
  const earliestMs = nowMs - maxAgeMs
  const hour = sql`intDiv(start_ms, ${literalInteger(hourMs)}) AS hour`
  const byHour = timedKindNames.map(
    name =>
      sql`SELECT ${hour}, count() AS rows ${fromAll(timedKinds[name].table, why, { where: startsIn(earliestMs, Infinity) })} GROUP BY hour`,
  )
  const hours = await rows(
    store,
    sql`SELECT hour, toInt64(sum(rows)) AS rows FROM (${join(byHour, sql` UNION ALL `)}) GROUP BY hour ORDER BY hour DESC`,
    { hour: wide, rows: wide },
    ofPipeline,
  )
  let left = Math.max(maxRecords, maxRecordsPerMachine * machineCount)
  const last = hours.find(each => (left -= each.rows) < 0)
  return last ? Math.min(nowMs - minAgeMs, (last.hour + 1) * hourMs) : earliestMs
}

export interface RecentRange {
  /** UTC ms. */
  readonly horizonMs: number
  /** Sign-ins that start after this time may be in force at the horizon, UTC ms. */
  readonly signInsAfterMs: number
  readonly machineIds: readonly string[]
}

/**
 * Reads the records with a time that start from the horizon on, those in force at it, and annotations that end with a
 * stop, as changes that create them. Rejects with a `StoreError`.
 */
export async function readRecentRecords(
  store: StoreReads,
  { horizonMs, signInsAfterMs, machineIds }: RecentRange,
  onPage: (changes: readonly Change[]) => void,
): Promise<void> {
  for (const name of timedKindNames) onPage(await readers[name](store, startsIn(horizonMs, Infinity)))
  const isOpen = sql`ifNull(end_ms > ${int64(horizonMs)}, 1)`
  const startsBefore = allOf(startsIn(-Infinity, horizonMs))
  onPage(await readers.operatorRun(store, [...startsIn(signInsAfterMs + 1, horizonMs), isOpen]))
  onPage(await readers.annotation(store, [startsBefore, sql`ends_with_stop = 1`, withRow(startsBefore)]))
  // Annotations do not overlap, so only the latest one may be in force. A run whose end equals its start was cancelled.
  onPage(await readLatest(store, 'annotation', horizonMs, machineIds, sql`1`, sql`start_ms DESC`))
  const isEffective = sql`ifNull(end_ms != start_ms, 1)`
  const latestRun = sql`start_ms DESC, start_sequence DESC`
  onPage(await readLatest(store, 'jobRun', horizonMs, machineIds, isEffective, latestRun))
}

const key = sql`(company, ${month}, machine_id, start_ms, id)`

/** Condition: any version of the annotation ends with its stop; it finds few rows before all versions are merged. */
function withRow(startsBefore: Sql): Sql {
  const flagged = fromAll(annotationsByMachine, why, { where: [startsBefore, sql`ends_with_stop = 1`] })
  return sql`${key} IN (SELECT ${key} ${flagged})`
}

/** Lengths of the times before the horizon in which the latest record of a machine is searched, one after the other. */
const searchedMs = [30 * dayMs, 365 * dayMs, Infinity]

/** Reads the latest record of each machine that starts before the horizon. */
async function readLatest(
  store: StoreReads,
  name: 'jobRun' | 'annotation',
  horizonMs: number,
  machineIds: readonly string[],
  isCandidate: Sql,
  order: Sql,
): Promise<readonly Change[]> {
  const found: Change[] = []
  const missing = new Set(machineIds)
  let beforeMs = horizonMs
  for (const withinMs of searchedMs) {
    if (missing.size === 0) break
    const where = [
      ...startsIn(horizonMs - withinMs, beforeMs),
      ...(missing.size === machineIds.length ? [] : [sql`machine_id IN ${array(str, [...missing])}`]),
      isCandidate,
    ]
    const latest = await readers[name](store, where, sql`ORDER BY ${order} LIMIT 1 BY machine_id`)
    for (const change of latest) {
      found.push(change)
      if (change.after && 'machineId' in change.after) missing.delete(change.after.machineId)
    }
    beforeMs = horizonMs - withinMs
  }
  return found
}

/** Reads the records of a kind that match, as changes that create them. */
type Reader = (store: StoreReads, where: readonly Sql[], tail?: Sql) => Promise<readonly Change[]>

const readers: { readonly [K in TimedKindName]: Reader } = {
  jobRun: readerOf('jobRun', timedKinds.jobRun),
  operatorRun: readerOf('operatorRun', timedKinds.operatorRun),
  annotation: readerOf('annotation', timedKinds.annotation),
  partAdjustment: readerOf('partAdjustment', timedKinds.partAdjustment),
}

function readerOf<K extends TimedKindName, S extends Shape>(
  name: K,
  { table, shape, toRecord }: TimedKind<S, RecordKinds[K]>,
): Reader {
  const columns = { ...position, ...shape, company: storedText }
  const list = join(Object.keys(columns).map(identifier))
  return async (store, where, tail = empty) => {
    const source = fromAll(table, why, { final: true, where: [...where, sql`deleted = 0`] })
    const found = await rows(store, sql`SELECT ${list} ${source} ${tail}`, columns, ofPipeline)
    return found.map(row => {
      const record = toRecord(row, String(row.company))
      return changeBetween(name, record.id, null, record)
    })
  }
}
