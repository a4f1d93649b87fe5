import type { RunsOf, StoredRun } from '../../schema/records/job-standards.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { inParts } from '../../shared/collections/in-parts.ts'
import { companyRef, machineRef, narrow, storedText, wide } from '../client/kinds.ts'
import { type RowOf, rows } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { array, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { machineRuns } from '../tables/record-kinds.ts'
import { jobRuns } from '../tables/records.ts'
import { openEnd } from '../tables/values.ts'
import { fromNewestRuns } from './newest-runs.ts'

/** Reads the runs of job operations, and those of machines. A run may occur twice. Rejects with a `StoreError`. */
export async function readRunsOf(
  store: StoreReads,
  company: { readonly id: string; readonly ref: CompanyRef },
  { operations, machineIds }: RunsOf,
  options: QueryOptions,
): Promise<readonly StoredRun[]> {
  const found: StoredRun[] = []
  const read = async (runs: Sql): Promise<void> => {
    const columns = sql`company, run, id, machine, operation, start_ms, end_ms, until_ms`
    for (const row of await rows(store, sql`SELECT ${columns} ${runs}`, shape, options)) found.push(toRun(row))
  }
  for (const some of inParts(operations, refsPerQuery))
    await read(fromNewestRuns(company.ref, [sql`operation IN ${array(uint32, some)}`]))
  for (const some of inParts(machineIds, machinesPerQuery)) {
    const isOf = sql`machine_id IN ${array(str, some)}`
    const where = [sql`run IN (SELECT run ${from(machineRuns, company.id, { where: [isOf] })})`]
    await read(from(jobRuns, company.ref, { final: true, where }))
  }
  return found
}

/** Maximum numbers of refs and of machines per query: a ref is up to ten bytes of SQL, the id of a machine 40. */
const refsPerQuery = 50_000
const machinesPerQuery = 10_000

const shape = {
  company: companyRef,
  run: narrow,
  id: storedText,
  machine: machineRef,
  operation: narrow,
  start_ms: wide,
  end_ms: openEnd.kind,
  until_ms: openEnd.kind,
} as const

function toRun({ company, machine, ...row }: RowOf<typeof shape>): StoredRun {
  const { run, id, operation, start_ms: startMs, end_ms: endMs, until_ms: untilMs } = row
  return { companyRef: company, run, id, machineRef: machine, operation, startMs, endMs, untilMs }
}
