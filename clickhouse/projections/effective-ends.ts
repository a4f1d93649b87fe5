import type { CompanyRef } from '../../schema/refs.ts'
import { narrow } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { array, int64, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { jobRuns } from '../tables/records.ts'
import { openEnd } from '../tables/values.ts'
import { fromNewestRuns } from './newest-runs.ts'
import { startsWith } from './start-conditions.ts'
import type { TimedConditions } from './timed-records.ts'

/** Maximum number of refs per query: each is up to ten bytes of SQL. */
const refsPerQuery = 50_000

/**
 * Reads the effective ends of job runs by ref, UTC ms; Infinity: the run is open. A run that does not count has its end
 * as reported. Rejects with a `StoreError`.
 */
export async function readEffectiveEnds(
  store: StoreReads,
  companyRef: CompanyRef,
  refs: readonly number[],
  options: QueryOptions,
): Promise<ReadonlyMap<number, number>> {
  const ends = new Map<number, number>()
  for (let first = 0; first < refs.length; first += refsPerQuery) {
    const where = [sql`run IN ${array(uint32, refs.slice(first, first + refsPerQuery))}`]
    const query = sql`SELECT run, until_ms ${from(jobRuns, companyRef, { final: true, where })}`
    const shape = { run: narrow, until_ms: openEnd.kind } as const
    for (const { run, until_ms: untilMs } of await rows(store, query, shape, options))
      ends.set(run, untilMs ?? Infinity)
  }
  return ends
}

/** Conditions: a job run is in progress at an instant, UTC ms. */
export function areInProgress(companyRef: CompanyRef, atMs: number): Required<TimedConditions> {
  const runs = fromNewestRuns(companyRef, inProgressAt(atMs))
  return { rows: [startsWith(runs)], counted: [sql`run IN (SELECT run ${runs})`] }
}

/** Conditions: a job run is not in progress at an instant, UTC ms. */
export function areNotInProgress(companyRef: CompanyRef, atMs: number): Required<TimedConditions> {
  return { rows: [], counted: [sql`run NOT IN (SELECT run ${fromNewestRuns(companyRef, inProgressAt(atMs))})`] }
}

/** Ref of job operations that do not exist. */
export const noOperation = 0

/** Conditions: a job run is of a job operation. */
export function areOfOperation(
  companyRef: CompanyRef,
  { id, ref }: { readonly id: string; readonly ref: number },
): Required<TimedConditions> {
  const runs = fromNewestRuns(companyRef, [sql`operation = ${uint32(ref)}`])
  return { rows: [startsWith(runs)], counted: [sql`operation_id = ${str(id)}`] }
}

function inProgressAt(atMs: number): readonly Sql[] {
  return [sql`start_ms <= ${int64(atMs)}`, sql`until_ms > ${int64(atMs)}`]
}
