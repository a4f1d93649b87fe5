import type { OperationTraits } from '../../schema/commands/stored-records.ts'
import { type JobNames, type NamedOperation, namesKey } from '../../schema/records/job-names.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import { inParts } from '../../shared/collections/in-parts.ts'
import { flag, narrow, storedText, wide } from '../client/kinds.ts'
import { firstRow, rows } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { array, arrayOf, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { from, fromAll } from '../tables/from.ts'
import { jobOperationNames, jobOperations } from '../tables/records.ts'
import { newestVersions } from './newest-versions.ts'

/** Maximum numbers of refs and of names per query: a ref is up to ten bytes of SQL, names are up to 800. */
const refsPerQuery = 50_000
const namesPerQuery = 2_000

/** Reads those job operations of a company that exist, by their refs, in no order. Rejects with a `StoreError`. */
export async function readOperationsByRefs(
  store: StoreReads,
  companyId: string,
  refs: readonly number[],
  options: QueryOptions,
): Promise<readonly JobOperationRecord[]> {
  const found: JobOperationRecord[] = []
  for (const some of inParts(refs, refsPerQuery)) {
    const isOneOf = sql`ref IN ${array(uint32, some)}`
    for (const operation of await readNewest(store, companyId, isOneOf, options)) found.push(operation)
  }
  return found
}

/** Reads the names of those job operations of a company that exist, by their refs, in no order. Rejects with a `StoreError`. */
export async function readOperationNames(
  store: StoreReads,
  companyId: string,
  refs: readonly number[],
  options: QueryOptions,
): Promise<readonly NamedOperation[]> {
  const found: NamedOperation[] = []
  const columns = sql`ref, id, job_name AS jobName, lot_name AS lotName, operation_name AS operationName, part_name AS partName`
  for (const some of inParts(refs, refsPerQuery)) {
    const source = from(jobOperations, companyId, { where: [sql`ref IN ${array(uint32, some)}`] })
    const query = sql`SELECT ${columns}, deleted ${source} ORDER BY command_offset DESC LIMIT 1 BY ref`
    for (const { deleted, ...operation } of await rows(store, query, namesShape, options))
      if (!deleted) found.push(operation)
  }
  return found
}

const namesShape = {
  ref: narrow,
  id: storedText,
  jobName: storedText,
  lotName: storedText,
  operationName: storedText,
  partName: storedText,
  deleted: flag,
} as const

/** Reads the job operations of a company that have one of these names, in no order. Rejects with a `StoreError`. */
export async function readOperationsByNames(
  store: StoreReads,
  companyId: string,
  names: readonly JobNames[],
  options: QueryOptions,
): Promise<readonly JobOperationRecord[]> {
  const found: JobOperationRecord[] = []
  for (const some of inParts(names, namesPerQuery)) {
    // First only the refs: an operation that starts with its first run has none, and planning both reads takes twice as long.
    const where = [sql`(job_name, lot_name, operation_name, part_name) IN ${namesTuples(some)}`]
    const query = sql`SELECT ref ${from(jobOperationNames, companyId, { where })}`
    const refs = new Set((await rows(store, query, { ref: narrow }, options)).map(({ ref }) => ref))
    const wanted = new Set(some.map(namesKey))
    for (const operation of await readOperationsByRefs(store, companyId, [...refs], options))
      // The names may be previous ones of the operation.
      if (wanted.has(namesKey(operation))) found.push(operation)
  }
  return found
}

/** Not a subquery, which takes longer to plan than the read itself. */
function namesTuples(names: readonly JobNames[]): Sql {
  const values = (name: keyof JobNames) => arrayOf(str, names, each => each[name])
  return sql`arrayZip(${values('jobName')}, ${values('lotName')}, ${values('operationName')}, ${values('partName')})`
}

async function readNewest(
  store: StoreReads,
  companyId: string,
  condition: Sql,
  options: QueryOptions,
): Promise<readonly JobOperationRecord[]> {
  const source = from(jobOperations, companyId, { where: [condition] })
  const query = sql`SELECT ref, json, deleted, toInt64(command_offset) AS version ${source}`
  const shape = { ref: narrow, json: storedText, deleted: flag, version: wide }
  const current = newestVersions(await rows(store, query, shape, options), row => row.ref)
  return current.map(({ json }): JobOperationRecord => JSON.parse(json))
}

function everHadJobName(companyId: string, jobName: string): Sql {
  return sql`ref IN (SELECT ref ${from(jobOperationNames, companyId, { where: [sql`job_name = ${str(jobName)}`] })})`
}

export interface OperationsFilter extends Partial<JobNames> {
  readonly archived?: boolean
  /** Only operations with a higher ref. */
  readonly afterRef: number
  readonly limit: number
}

/** Reads job operations of a company by the order of their creation. Rejects with a `StoreError`. */
export async function readOperations(
  store: StoreReads,
  companyId: string,
  filter: OperationsFilter,
  options: QueryOptions,
): Promise<readonly JobOperationRecord[]> {
  const where = [sql`ref > ${uint32(filter.afterRef)}`, sql`deleted = 0`, ...filterConditions(companyId, filter)]
  const source = from(jobOperations, companyId, { final: true, where })
  // Refs first, because FINAL reads all selected columns before it applies the conditions.
  const refs = sql`SELECT ref ${source} ORDER BY ref LIMIT ${uint32(filter.limit)}`
  const found = await readNewest(store, companyId, sql`ref IN (${refs})`, options)
  return found.toSorted((a, b) => a.ref - b.ref)
}

function filterConditions(
  companyId: string,
  { jobName, lotName, operationName, partName, archived }: OperationsFilter,
): readonly Sql[] {
  return [
    ...(jobName === undefined ? [] : [sql`job_name = ${str(jobName)}`, everHadJobName(companyId, jobName)]),
    ...(lotName === undefined ? [] : [sql`lot_name = ${str(lotName)}`]),
    ...(operationName === undefined ? [] : [sql`operation_name = ${str(operationName)}`]),
    ...(partName === undefined ? [] : [sql`part_name = ${str(partName)}`]),
    ...(archived === undefined ? [] : [archived ? sql`archived = 1` : sql`archived = 0`]),
  ]
}

/** Reads the ids of the machine groups in the work centers of a company's other job operations. Rejects with a `StoreError`. */
export async function readGroupsInUse(
  store: StoreReads,
  companyId: string,
  exceptIds: readonly string[],
  options: QueryOptions,
): Promise<ReadonlySet<string>> {
  const where = [sql`deleted = 0`, sql`id NOT IN ${array(str, exceptIds)}`]
  const query = sql`
    SELECT DISTINCT arrayJoin(group_ids) AS used ${from(jobOperations, companyId, { final: true, where })}`
  return new Set((await rows(store, query, { used: storedText }, options)).map(({ used }) => used))
}

/** Reads what the job operations of each company have or had, by its id. Rejects with a `StoreError`. */
export async function readOperationTraits(
  store: StoreReads,
  options: QueryOptions,
): Promise<ReadonlyMap<string, OperationTraits>> {
  const columns = sql`max(has_multiplier) AS hasMultipliers, max(has_thresholds) AS hasThresholds`
  const query = sql`
    SELECT company, ${columns} ${fromAll(jobOperations, 'every process needs them of all companies')} GROUP BY company`
  const shape = { company: storedText, hasMultipliers: flag, hasThresholds: flag }
  const found = await rows(store, query, shape, options)
  return new Map(found.map(({ company, ...traits }) => [company, traits]))
}

/** Counts the stored versions of job operations of all companies. Rejects with a `StoreError`. */
export async function countOperationVersions(store: StoreReads, options: QueryOptions): Promise<number> {
  const query = sql`
    SELECT toInt64(count()) AS versions ${fromAll(jobOperations, 'the limit of memory is that of all companies')}`
  const row = await firstRow(store, query, { versions: wide }, options)
  return row?.versions ?? 0
}
