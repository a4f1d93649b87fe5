import type { Change } from '../../schema/records/record-kinds.ts'
import { storedText, wide } from '../client/kinds.ts'
import { firstRow, ofPipeline, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { array, sql, str, type Sql } from '../sql/sql.ts'
import { fromAll } from '../tables/from.ts'
import { audit, records } from '../tables/records.ts'
import { seenMinutes } from '../tables/samples.ts'
import { positionKind, recordRow, streamRecords, undecidedDeliveries } from './stored-records.ts'

/** Kinds that are not restored to a new log: they describe the lost log and work in progress. */
const lostKinds = ['claim', 'installation', 'rebuild', positionKind]
const pageRows = 10_000
const read = ofPipeline
/** The records of many years need more memory than a process has. */
const sorted: QueryOptions = { ...read, settings: { max_bytes_before_external_sort: 500_000_000 } }
const lostLog = 'records are restored from the store if a log is lost'

/**
 * Reads the records of the store, by ascending ref, then the deliveries that are not decided, as changes that create
 * them. Equal stores return equal pages. Rejects with a `StoreError`.
 */
export async function* readStoredRecords(store: Store): AsyncGenerator<readonly Change[]> {
  const where = [sql`deleted = 0`, sql`kind NOT IN ${array(str, lostKinds)}`]
  const query = sql`
    SELECT ${recordRow} ${fromAll(records, lostLog, { final: true, where })}
    ORDER BY ref, toInt64(command_offset), kind, id`
  let page: Change[] = []
  for (const each of [query, undecidedDeliveries])
    for await (const changes of streamRecords(store, each, sorted))
      for (const change of changes) {
        page.push(change)
        if (page.length < pageRows) continue
        yield page
        page = []
      }
  if (page.length > 0) yield page
}

/**
 * Reads the highest integer that was ever assigned, by kind (`RefKind`), as far as the store contains it. Rejects with
 * a `StoreError`.
 */
export async function readHighestRefs(store: Store): Promise<Readonly<Record<string, number>>> {
  const ofKind = (...kinds: readonly string[]) =>
    fromAll(records, lostLog, { where: [sql`kind IN ${array(str, kinds)}`] })
  const schedules = fromAll(audit, lostLog, { where: [sql`kind = 'schedule'`] })
  const counted = await rows(
    store,
    sql`
      SELECT kind, max(highest) AS highest FROM (
        SELECT kind, toUInt64(ref) AS highest ${fromAll(records, lostLog, { where: [sql`ref > 0`] })}
        UNION ALL SELECT 'startSequence', JSONExtractUInt(json, 'startSequence') ${ofKind('jobRun')}
        UNION ALL SELECT 'fence', JSONExtractUInt(json, 'fence') ${ofKind('claim')}
        UNION ALL SELECT kind, toUInt64OrZero(id) ${ofKind('downtimeReason', 'partAdjustmentType')}
        UNION ALL SELECT 'shift', ${refsIn(sql`json`)} ${ofKind('schedule')}
        UNION ALL SELECT 'shift', greatest(${refsIn(sql`before`)}, ${refsIn(sql`after`)}) ${schedules}
      ) GROUP BY kind`,
    { kind: storedText, highest: wide },
    read,
  )
  const earlier = await rows(store, sql`SELECT json ${ofKind('installation')}`, { json: storedText }, read)
  const highest = new Map<string, number>()
  const raise = (kind: string, ref: number) => highest.set(kind, Math.max(highest.get(kind) ?? 0, ref))
  for (const row of counted) raise(row.kind, row.highest)
  for (const { json } of earlier) {
    const { highestRefs }: { readonly highestRefs: Readonly<Record<string, number>> } = JSON.parse(json)
    for (const [kind, ref] of Object.entries(highestRefs)) raise(kind, ref)
  }
  return Object.fromEntries(highest)
}

/** Returns SQL for the highest ref of the shifts in a schedule's JSON. */
function refsIn(json: Sql): Sql {
  return sql`arrayReduce('max', arrayMap(digits -> toUInt64(digits), extractAll(${json}, '"ref":(\\d+)')))`
}

/**
 * Reads the time of the newest sample of any machine, UTC ms; null if the store has no samples. Rejects with a
 * `StoreError`.
 */
export async function readNewestSeenMs(store: Store): Promise<number | null> {
  const newest = await firstRow(
    store,
    sql`SELECT max(toInt64(toUnixTimestamp(minute)) * 1000 + last_ms) AS newest ${fromAll(seenMinutes, lostLog)} HAVING count() > 0`,
    { newest: wide },
    read,
  )
  return newest?.newest ?? null
}
