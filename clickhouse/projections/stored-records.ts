import type { ProjectedPosition } from '../../schema/commands/command-log.ts'
import type { InstallationRecord } from '../../schema/records/installation.ts'
import { type AnyRecord, type Change, changeBetween, type RecordKind } from '../../schema/records/record-kinds.ts'
import type { MemoryLimits, StoredRecords } from '../../schema/commands/stored-records.ts'
import { timedKindNames } from '../../schema/records/timed-records.ts'
import { maxSignInMs } from '../../schema/records/company.ts'
import { storedText, wide } from '../client/kinds.ts'
import { firstRow, ofPipeline, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { array, int64, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { from, fromAll } from '../tables/from.ts'
import { deliveries } from '../tables/record-kinds.ts'
import { incidents, records } from '../tables/records.ts'
import { countOperationVersions, readOperationTraits } from './job-operations.ts'
import { chooseHorizon, readRecentRecords } from './recent-records.ts'

/**
 * Kind of the row whose version is the position of the projection. It is written with or after the last row of its
 * entries, so that entries after it may be in the store partly, and entries up to it are complete.
 */
export const positionKind = 'projected'

/** Kinds whose deleted ids must not be assigned again. */
const kindsWithChosenIds = ['downtimeReason', 'partAdjustmentType']

/** Options of reads of only the records that stay in memory. */
export interface RecentOptions {
  readonly limits: MemoryLimits
  /** UTC ms. */
  readonly clock: () => number
}

/**
 * Creates the reader with which a start continues from the store instead of the beginning of the log. `recent`: null
 * to read all records with a time.
 */
export function createStoredRecords(store: Store, recent: RecentOptions | null = null): StoredRecords {
  return {
    async readPosition() {
      const where = [sql`kind = ${str(positionKind)}`, sql`id = ''`]
      const query = sql`
        SELECT max(toInt64(command_offset)) AS position, argMax(json, command_offset) AS state
        ${from(records, '', { where })} HAVING count() > 0`
      const row = await firstRow(store, query, { position: wide, state: storedText }, ofPipeline)
      const state: Omit<ProjectedPosition, 'commandOffset'> | null = row && JSON.parse(row.state)
      return row && state && { ...state, commandOffset: row.position }
    },

    async readRecords(onPage) {
      const machineIds: string[] = []
      const maxSignIns = new Map<string, number>()
      const areFew = !recent || (await countOperationVersions(store, ofPipeline)) <= recent.limits.maxOperations
      if (areFew) await readPages(store, allOperations, onPage)
      const settledFromMs = recent ? await chooseSettledFrom(store, recent.limits, recent.clock()) : -Infinity
      await readPages(store, incidentsSettledFrom(Math.max(0, settledFromMs)), onPage)
      await readPages(store, deliveriesCreatedAfter(recent ? recent.clock() - recent.limits.deliveryAgeMs : 0), onPage)
      await readPages(store, permanentRecords, page => {
        for (const { kind, after } of page) {
          if (kind === 'machine' && after) machineIds.push(after.id)
          if (kind === 'company' && after) maxSignIns.set(after.id, maxSignInMs(after.settings))
        }
        onPage(page)
      })
      const horizonMs = recent
        ? await chooseHorizon(store, recent.limits, recent.clock(), machineIds.length)
        : -Infinity
      if (horizonMs === -Infinity) await readPages(store, timedRecords, onPage)
      else {
        const signInsAfterMs = horizonMs - Math.max(0, ...maxSignIns.values())
        await readRecentRecords(store, { horizonMs, signInsAfterMs, machineIds }, onPage)
      }
      return {
        horizonMs,
        signInsAfterMs: new Map(Array.from(maxSignIns, ([company, ms]) => [company, horizonMs - ms])),
        firstRuns: new Map(),
        storedOperations: areFew ? null : await readOperationTraits(store, ofPipeline),
        settledFromMs,
      }
    },

    async readDeletedRecords() {
      const found = await rows(store, deletedRecords, { row: storedText }, ofPipeline)
      return found.map(({ row }) => {
        const { kind, record }: Row = JSON.parse(row)
        return changeBetween(kind, String(record.id), record, null)
      })
    },
  }
}

async function readPages(store: Store, query: Sql, onPage: (changes: readonly Change[]) => void): Promise<void> {
  for await (const page of streamRecords(store, query, ofPipeline)) onPage(page)
}

/** Streams the records of a query that selects `recordRow`, as changes that create them. Rejects with a `StoreError`. */
export async function* streamRecords(
  store: Store,
  query: Sql,
  options: QueryOptions,
): AsyncGenerator<readonly Change[]> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of store.stream(query, 'TabSeparatedRaw', options)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    // One call of JSON.parse for a chunk takes half of the time of a call for each line.
    const found: readonly Row[] = JSON.parse(`[${lines.join(',')}]`)
    yield found.map(({ kind, record }) => changeBetween(kind, String(record.id), null, record))
  }
}

/**
 * Reads the record of the installation; null if the store has none. The tables must exist. Rejects with a `StoreError`.
 */
export async function readInstallationRecord(store: Store): Promise<InstallationRecord | null> {
  const where = [sql`kind = 'installation'`, sql`deleted = 0`]
  const query = sql`SELECT json ${fromAll(records, 'the installation has no company', { final: true, where })} LIMIT 1`
  const row = await firstRow(store, query, { json: storedText }, ofPipeline)
  return row && JSON.parse(row.json)
}

const why = 'every process needs the records of all companies'
/** A record as one JSON object, which contains no line end. */
export const recordRow = sql`concat('{"kind":"', kind, '","record":', json, '}') AS row`
const isCurrent = [sql`deleted = 0`, sql`kind != ${str(positionKind)}`]
const isTimed = sql`kind IN ${array(str, timedKindNames)}`
const timedRecords = sql`SELECT ${recordRow} ${fromAll(records, why, { final: true, where: [...isCurrent, isTimed] })}`
const isPermanent = sql`kind NOT IN ${array(str, [...timedKindNames, 'jobOperation', 'incident'])}`
const permanentRecords = sql`SELECT ${recordRow} ${fromAll(records, why, { final: true, where: [...isCurrent, isPermanent] })}`
const isOperation = sql`kind = 'jobOperation'`
const allOperations = sql`SELECT ${recordRow} ${fromAll(records, why, { final: true, where: [...isCurrent, isOperation] })}`

/** Returns the instant, UTC ms, from which on settled incidents stay in memory. */
async function chooseSettledFrom(store: Store, limits: MemoryLimits, nowMs: number): Promise<number> {
  const fromMs = nowMs - limits.incidentAgeMs
  const where = [sql`settled_ms >= ${int64(fromMs)}`]
  const query = sql`
    SELECT assumeNotNull(settled_ms) AS ms ${fromAll(incidents, why, { final: true, where })}
    ORDER BY settled_ms DESC LIMIT 1 OFFSET ${uint32(limits.maxSettledIncidents)}`
  const first = await firstRow(store, query, { ms: wide }, ofPipeline)
  // The first incident above the limit does not fit, nor do the others of its millisecond.
  return first ? first.ms + 1 : fromMs
}

/** The incidents that are not settled, and those that were settled at an instant, UTC ms, or later. */
function incidentsSettledFrom(ms: number): Sql {
  const recent = [sql`ifNull(settled_ms, ${int64(ms)}) >= ${int64(ms)}`]
  const ids = sql`SELECT company, id ${fromAll(incidents, why, { final: true, where: recent })}`
  const where = [...isCurrent, sql`kind = 'incident'`, sql`(company, id) IN (${ids})`]
  return sql`SELECT ${recordRow} ${fromAll(records, why, { final: true, where })}`
}
const deliveryRow = sql`SELECT concat('{"kind":"delivery","record":', json, '}') AS row`
const isUndecided = sql`state IN ('pending', 'failed')`
/** The deliveries that are undecided, and those that were created later, UTC ms. */
function deliveriesCreatedAfter(ms: number): Sql {
  const isOlder = sql`created_ms < ${int64(ms)}`
  // Each part selects by the order of the table. Without FINAL, the first selection reads only its few columns.
  const keys = sql`SELECT company, created_ms, id ${fromAll(deliveries, why, { where: [isOlder, isUndecided] })}`
  const older = [sql`(company, created_ms, id) IN (${keys})`, isUndecided]
  return sql`
    ${deliveryRow} ${fromAll(deliveries, why, { final: true, where: [sql`created_ms >= ${int64(ms)}`] })}
    UNION ALL ${deliveryRow} ${fromAll(deliveries, why, { final: true, where: older })}`
}
/** Selects the undecided deliveries as `recordRow`, in the order of their creation. */
export const undecidedDeliveries = sql`
  ${deliveryRow} ${fromAll(deliveries, why, { final: true, where: [isUndecided] })} ORDER BY created_ms, id`
const isDeleted = [sql`deleted = 1`, sql`kind IN ${array(str, kindsWithChosenIds)}`]
const deletedRecords = sql`SELECT ${recordRow} ${fromAll(records, why, { final: true, where: isDeleted })}`

interface Row {
  readonly kind: RecordKind
  readonly record: AnyRecord
}
