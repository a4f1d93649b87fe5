import { randomInt } from 'node:crypto'
import {
  array,
  empty,
  ident,
  join,
  literalInteger,
  type Sql,
  sql,
  uint32,
  uint64,
} from '../../../clickhouse/sql/sql.ts'
import {
  type Columns,
  type KeyName,
  type KeyValue,
  type Query,
  type QueryContext,
  reportTooLarge,
} from '../query/query.ts'
import { rejectForeignReads } from '../../../clickhouse/tables/company-guard.ts'
import { narrow, type Kind, listOf, wide } from '../../../clickhouse/client/kinds.ts'
import { firstRow } from '../../../clickhouse/client/rows.ts'
import { exportNames, exportSums } from '../../../clickhouse/tables/exports.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { identifier } from '../../../clickhouse/tables/table.ts'
import { keyNames } from '../plan/plan.ts'
import type { ProductionPlan } from '../plan/production.ts'
import type { CompanyRef } from '../../../schema/refs.ts'

/** Rows of a report in the store while a file is written from them: file and response have the same values. */
export interface ExportSnapshot {
  readonly companyRef: CompanyRef
  readonly id: number
  readonly relation: Sql
  /** The different values of each key column. */
  readonly keyValues: readonly (readonly KeyValue[])[]
  /** Reads the columns as `runQuery` does. */
  read(): Promise<Columns>
  /** Call it when the file is written. */
  drop(): Promise<void>
}

/**
 * Stores the result of a compiled plan. Rejects with `StoreError`, or with 400 if the result exceeds the row limit;
 * then nothing remains. The statement is not cancelled once it has started: the store would continue, and the rows
 * would remain.
 */
export async function createSnapshot(
  plan: ProductionPlan,
  query: Query,
  { store, options }: QueryContext,
): Promise<ExportSnapshot> {
  const { companyRef } = plan
  const id = randomInt(1, maxId)
  const { signal, settings: limits = {}, ...others } = options
  const { readonly: _, ...settings } = limits
  const maxRows = Number(limits.max_result_rows ?? 0)
  const drop = async () => {
    // The statement accepts no parameter. A partition that cannot be dropped expires by its TTL.
    const dropped = [exportSums, exportNames].map(({ name }) =>
      store.command(sql`ALTER TABLE ${identifier(name)} DROP PARTITION ${literalInteger(id)}`),
    )
    await Promise.allSettled(dropped)
  }
  const relation = snapshotRelation(plan, id)
  try {
    const rows = rejectForeignReads(rowsToKeep(plan, query.sql, id, maxRows), companyRef)
    const insert = sql`INSERT INTO ${identifier(exportSums.name)} (company, export, keys, operators, sums)\n${rows}`
    await store.command(insert, { ...others, settings })
    signal?.throwIfAborted()
    const { count, keyValues } = await readKeyValues(plan, relation, { store, options })
    if (maxRows > 0 && count > maxRows) throw reportTooLarge()
    return { companyRef, id, relation, keyValues, read: () => store.numbers(relation, query.columns, options), drop }
  } catch (error) {
    await drop()
    throw error
  }
}

/** Maximum range of `randomInt`. */
const maxId = 2 ** 48 - 1

/** The limit is one row higher, to detect that there are too many rows. */
function rowsToKeep(plan: ProductionPlan, compiled: Sql, id: number, maxRows: number): Sql {
  const keys = numberKeys(plan).map(name => ident(`k_${name}`))
  const operators = plan.keys.operators ? sql`k_operators` : sql`${array(uint32, [])}`
  const sums = plan.sums.map(name => ident(`sum_${name}`))
  return sql`SELECT ${uint32(plan.companyRef)}, ${uint64(BigInt(id))}, [${join(keys)}]::Array(UInt32), ${operators}, [${join(sums)}]
FROM (${compiled})
${maxRows > 0 ? sql`LIMIT ${uint64(maxRows + 1)}` : empty}`
}

function snapshotRelation(plan: ProductionPlan, id: number): Sql {
  const inKeys = numberKeys(plan)
  const keys = keyNames(plan).map(name =>
    name === 'operators'
      ? sql`operators AS k_operators`
      : sql`keys[${uint32(inKeys.indexOf(name) + 1)}] AS ${ident(`k_${name}`)}`,
  )
  const sums = plan.sums.map((name, i) => sql`sums[${uint32(i + 1)}] AS ${ident(`sum_${name}`)}`)
  return sql`SELECT ${join([...keys, ...sums])} ${from(exportSums, plan.companyRef, { where: [isExport(id)] })}`
}

async function readKeyValues(plan: ProductionPlan, relation: Sql, { store, options }: QueryContext) {
  const names = keyNames(plan)
  const columns = names.map(name => sql`groupUniqArray(${ident(`k_${name}`)}) AS ${ident(`values_${name}`)}`)
  const shape = Object.fromEntries(
    names.map(name => [`values_${name}`, name === 'operators' ? listOf(listOf(narrow)) : listOf(narrow)] as const),
  )
  const query = sql`SELECT ${join([sql`count() AS row_count`, ...columns])} FROM (${relation})`
  const found = await firstRow<Record<string, Kind<number | readonly KeyValue[]>>>(
    store,
    query,
    { ...shape, row_count: wide },
    options,
  )
  const valuesOf = (name: KeyName) => {
    const values = found?.[`values_${name}`]
    if (typeof values !== 'object') throw new Error('invariant: an aggregate has one row')
    return values
  }
  return { count: Number(found?.['row_count']), keyValues: names.map(valuesOf) }
}

function numberKeys(plan: ProductionPlan): readonly KeyName[] {
  return keyNames(plan).filter(name => name !== 'operators')
}

/** Condition for the rows of one export. */
export function isExport(id: number): Sql {
  return sql`export = ${uint64(BigInt(id))}`
}
