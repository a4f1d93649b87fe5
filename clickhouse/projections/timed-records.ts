import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RejectBehavior } from '../../schema/records/part-adjustment-type.ts'
import type { RecordKinds } from '../../schema/records/record-kinds.ts'
import { instantText } from '../../shared/time/instant.ts'
import { dayMs } from '../../shared/time/units.ts'
import { type Kind, narrow, nullOr, storedText, wide } from '../client/kinds.ts'
import { firstRow, type RowOf, rows, type Shape } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { array, empty, int64, join, literalInteger, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { operatorRunsByMachine, partAdjustmentsByMachine } from '../tables/record-kinds.ts'
import { records } from '../tables/records.ts'
import { identifier } from '../tables/table.ts'

/** How a kind of records with a time is read from its table. */
interface TimedKind<S extends Shape, R> {
  readonly table: TimedTable
  /** Columns besides machine, start and id. */
  readonly shape: S
  readonly toRecord: (row: RowOf<typeof position & S>, companyId: string) => R
}

type TimedTable = typeof operatorRunsByMachine | typeof partAdjustmentsByMachine

const position = { machine_id: storedText, start_ms: wide, id: storedText } as const

const behaviors = { '': null, scrap: 'scrap', nonconform: 'nonconform' } as const
const behavior: Kind<RejectBehavior | null> = {
  accepts: storedText.accepts,
  read: value => {
    if (value === '' || value === 'scrap' || value === 'nonconform') return behaviors[value]
    throw new TypeError(`Invalid reject behavior: ${String(value)}`)
  },
}

const operatorRunShape = { operator_id: storedText, end_ms: nullOr(wide) } as const
const adjustmentShape = {
  category: nullOr(wide),
  parts: narrow,
  scrap: narrow,
  reject_behavior: behavior,
  message: storedText,
} as const

export const timedKinds = {
  operatorRun: {
    table: operatorRunsByMachine,
    shape: operatorRunShape,
    toRecord: ({ id, machine_id: machineId, operator_id: operatorId, start_ms: startMs, end_ms: endMs }, companyId) => {
      const endAt = endMs === null ? null : instantText(endMs)
      return { id, companyId, machineId, operatorId, startAt: instantText(startMs), endAt }
    },
  } satisfies TimedKind<typeof operatorRunShape, OperatorRunRecord>,
  partAdjustment: {
    table: partAdjustmentsByMachine,
    shape: adjustmentShape,
    toRecord: ({ id, machine_id: machineId, start_ms: atMs, category, parts, scrap, ...row }, companyId) => ({
      id,
      companyId,
      machineId,
      adjustmentTime: instantText(atMs),
      categoryId: category,
      message: row.message,
      scrapCount: scrap,
      count: parts,
      rejectBehavior: row.reject_behavior,
    }),
  } satisfies TimedKind<typeof adjustmentShape, PartAdjustmentRecord>,
} as const

/** A page of records of a company. */
export interface TimedQuery {
  readonly companyId: string
  /** null: all machines. */
  readonly machineIds: readonly string[] | null
  /** Records that start in [fromMs, toMs), UTC ms; null: no bound. */
  readonly fromMs: number | null
  readonly toMs: number | null
  /** A further condition on the columns of the table. */
  readonly where?: Sql
  /** Record after which the page begins. */
  readonly after: { readonly atMs: number; readonly id: string } | null
  /** Maximum number of records; Infinity: all. */
  readonly limit: number
}

/**
 * Reads records by start, then id. The range is read in growing intervals until the page is full, so that a page reads
 * little of a long history. Rejects with a `StoreError`.
 */
export async function readTimedRecords<S extends Shape, R>(
  store: Pick<Store, 'queryColumns'>,
  { table, shape, toRecord }: TimedKind<S, R>,
  { companyId, machineIds, fromMs, toMs, where, after, limit }: TimedQuery,
  options: QueryOptions,
): Promise<readonly R[]> {
  const fixed = [
    ...(machineIds === null ? [] : [sql`machine_id IN ${array(str, machineIds)}`]),
    ...(after === null ? [] : [sql`(start_ms, id) > (${int64(after.atMs)}, ${str(after.id)})`]),
  ]
  const endMs = toMs ?? yearsEndMs
  const nextFrom = async (startMs: number): Promise<number> => {
    const inRange = [sql`start_ms >= ${int64(startMs)}`, sql`start_ms < ${int64(endMs)}`]
    const month = await readFirstMonth(store, table, companyId, [...inRange, ...fixed], options)
    return month === null ? endMs : Math.max(startMs, month)
  }
  const lowestMs = Math.max(fromMs ?? 0, after?.atMs ?? 0)
  const columns = join(Object.keys({ ...position, ...shape }).map(identifier))
  const found: R[] = []
  const isSmall = machineIds !== null && machineIds.length <= maxMachinesAtOnce
  let lengthMs = isSmall || limit === Infinity ? Infinity : firstLengthMs
  let startMs = lowestMs > 0 ? lowestMs : await nextFrom(0)
  while (startMs < endMs) {
    const untilMs = Math.min(endMs, startMs + lengthMs)
    const inInterval = [sql`start_ms >= ${int64(startMs)}`, sql`start_ms < ${int64(untilMs)}`]
    const conditions = [...inInterval, ...fixed, ...(where ? [where] : []), sql`deleted = 0`]
    const query = sql`
      SELECT ${columns} ${from(table, companyId, { final: true, where: conditions })}
      ORDER BY start_ms, id ${limit === Infinity ? empty : sql`LIMIT ${uint32(limit - found.length)}`}`
    for (const row of await rows(store, query, { ...position, ...shape }, options)) found.push(toRecord(row, companyId))
    if (found.length >= limit || untilMs >= endMs) break
    startMs = await nextFrom(untilMs)
    lengthMs *= 8
  }
  return found
}

/** Length of the first interval that a page reads, ms; each further one is eight times as long. */
const firstLengthMs = dayMs
/** Records of up to this number of machines are few enough for one query. */
const maxMachinesAtOnce = 10
/** No record begins in the year 10000. */
const yearsEndMs = 253_402_300_800_000
/** Length of the intervals by which the tables are sorted, ms. */
const monthMs = 2_592_000_000

/** Reads the start of the month of the earliest rows, UTC ms; null if there are none. */
async function readFirstMonth(
  store: Pick<Store, 'queryColumns'>,
  table: TimedTable,
  companyId: string,
  where: readonly Sql[],
  options: QueryOptions,
): Promise<number | null> {
  const month = sql`intDiv(start_ms, ${literalInteger(monthMs)})`
  const query = sql`SELECT ${month} AS month ${from(table, companyId, { where })} ORDER BY company, ${month} LIMIT 1`
  const first = await firstRow(store, query, { month: wide }, options)
  return first && first.month * monthMs
}

/**
 * Reads a record of a company by its id (a UUID in any letter case); null if there is none. Rejects with a
 * `StoreError`.
 */
export async function readRecord<K extends 'operatorRun' | 'partAdjustment'>(
  store: Pick<Store, 'queryColumns'>,
  kind: K,
  companyId: string,
  id: string,
  options: QueryOptions,
): Promise<RecordKinds[K] | null> {
  const where = [sql`kind = ${str(kind)}`, sql`id = ${str(id.toLowerCase())}`, sql`deleted = 0`]
  const query = sql`SELECT json ${from(records, companyId, { final: true, where })}`
  const found = await firstRow(store, query, { json: storedText }, options)
  if (!found) return null
  const record: RecordKinds[K] = JSON.parse(found.json)
  return record
}
