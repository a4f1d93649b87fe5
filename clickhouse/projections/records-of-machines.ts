import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { TimedRecords, UseElsewhere } from '../../schema/records/timed-records.ts'
import { nullOr, storedText, wide, narrow } from '../client/kinds.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import type { StoreReads } from '../client/store.ts'
import { array, type Sql, sql, str } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import {
  annotationsByMachine,
  machineRuns,
  operatorRunsByMachine,
  partAdjustmentsByMachine,
} from '../tables/record-kinds.ts'
import { readGroupsInUse } from './job-operations.ts'
import { readRecordsById } from './records-by-id.ts'
import { readTimedRecords, type TimedKind, timedKinds } from './timed-records.ts'
import type { Shape } from '../client/rows.ts'

/** Reads all records with a time of some machines of a company. Rejects with a `StoreError`. */
export async function readRecordsOfMachines(
  store: StoreReads,
  companyId: string,
  machineIds: readonly string[],
): Promise<TimedRecords> {
  const range = { fromMs: null, toMs: null, after: null, limit: Infinity }
  const read = <S extends Shape, R>(kind: TimedKind<S, R>) =>
    readTimedRecords(store, kind, { companyId, machineIds, ...range }, ofPipeline)
  // Also runs that do not count, which the page of runs excludes.
  const { counted: _, ...everyRun } = timedKinds.jobRun
  const [jobRuns, operatorRuns, annotations, partAdjustments] = await Promise.all([
    read(everyRun),
    read(timedKinds.operatorRun),
    read(timedKinds.annotation),
    read(timedKinds.partAdjustment),
  ])
  return { jobRuns, operatorRuns, annotations, partAdjustments }
}

/** Reads the job operations that only these machines of a company ran. Rejects with a `StoreError`. */
export async function readOperationsRunOnlyBy(
  store: StoreReads,
  companyId: string,
  machineIds: readonly string[],
): Promise<readonly JobOperationRecord[]> {
  const isHere = sql`machine_id IN ${array(str, machineIds)}`
  const ran = (where: Sql) => from(machineRuns, companyId, { final: true, where: [where, sql`deleted = 0`] })
  const elsewhere = sql`SELECT operation_id ${ran(sql`NOT (${isHere})`)}`
  const query = sql`
    SELECT DISTINCT operation_id AS id ${ran(isHere)} AND operation_id NOT IN (${elsewhere})`
  const ids = (await rows(store, query, { id: storedText }, ofPipeline)).map(({ id }) => id)
  return readRecordsById(store, 'jobOperation', companyId, ids, ofPipeline)
}

/**
 * Reads to what the records with a time of the other machines of a company refer, and its job operations without
 * `exceptOperations`. Rejects with a `StoreError`.
 */
export async function readUseElsewhere(
  store: StoreReads,
  companyId: string,
  machineIds: readonly string[],
  exceptOperations: readonly string[],
): Promise<UseElsewhere> {
  const where = [sql`machine_id NOT IN ${array(str, machineIds)}`, sql`deleted = 0`]
  const distinct = (column: Sql, source: Sql) => sql`SELECT DISTINCT ${column} AS used ${source}`
  const final = { final: true, where }
  const [machineGroupIds, operators, reasons, categories] = await Promise.all([
    readGroupsInUse(store, companyId, exceptOperations, ofPipeline),
    rows(
      store,
      distinct(sql`operator_id`, from(operatorRunsByMachine, companyId, final)),
      { used: storedText },
      ofPipeline,
    ),
    rows(store, distinct(sql`reason`, from(annotationsByMachine, companyId, final)), { used: narrow }, ofPipeline),
    rows(
      store,
      distinct(sql`category`, from(partAdjustmentsByMachine, companyId, final)),
      { used: nullOr(wide) },
      ofPipeline,
    ),
  ])
  return {
    machineGroupIds,
    operatorIds: new Set(operators.map(({ used }) => used)),
    reasonIds: new Set(reasons.map(({ used }) => used)),
    categoryIds: new Set(categories.flatMap(({ used }) => used ?? [])),
  }
}
