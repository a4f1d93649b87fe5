import { randomInt } from 'node:crypto'
import { array, empty, ident, join, type Sql, sql, uint32, uint64 } from '../../../clickhouse/sql/sql.ts'
import type { Columns, KeyName, KeyValue } from '../columns.ts'
import { refuseWithoutCompany } from '../../../clickhouse/client/company-guard.ts'
import type { Asking } from '../ask.ts'
import { tooLarge } from '../too-large.ts'
import { keyNames } from './compile.ts'
import type { Plan } from './plan.ts'

/** A report's rows, kept in the store for as long as a file is made of them: file and answer say the same. */
export interface KeptRows {
  readonly company: number
  readonly id: number
  /** With the columns of the compiled plan. */
  readonly relation: Sql
  /** The different values of each key column. */
  readonly keyValues: readonly (readonly KeyValue[])[]
  /** The rows as `run` gives them. */
  read(): Promise<Columns>
  /** Call it when the file is written. */
  drop(): Promise<void>
}

/**
 * Has the store keep the answer to a compiled plan. Rejects with `StoreError`, or with 400 where there are more rows than a query may
 * answer; then nothing is left. Once begun it is not given up: the store would go on, and what it wrote after that would stay.
 */
export async function keepRows(plan: Plan, compiled: Sql, { store, options }: Asking): Promise<KeptRows> {
  const { company } = plan
  const id = randomInt(1, maxId)
  const { signal, settings: limits = {}, ...others } = options
  const { readonly: _, ...settings } = limits
  const mostRows = Number(limits.max_result_rows ?? 0)
  const drop = async () => {
    // A partition is named by a literal: no parameter is taken here. What can't be dropped now goes by its TTL.
    const dropped = (['export_sums', 'export_names'] as const).map(table =>
      store.command(sql`ALTER TABLE ${ident(table)} DROP PARTITION ${{ parts: [String(id)] }}`),
    )
    await Promise.allSettled(dropped)
  }
  const relation = keptRelation(plan, id)
  try {
    const rows = refuseWithoutCompany(rowsToKeep(plan, compiled, id, mostRows), company)
    const insert = sql`INSERT INTO export_sums (company, export, keys, operators, sums)\n${rows}`
    await store.command(insert, { ...others, settings })
    signal?.throwIfAborted()
    const { count, keyValues } = await readKeyValues(plan, relation, { store, options })
    if (mostRows > 0 && count > mostRows) throw tooLarge()
    return { company, id, relation, keyValues, read: () => store.numbers(relation, options), drop }
  } catch (error) {
    await drop()
    throw error
  }
}

/** As many as `randomInt` draws from. */
const maxId = 2 ** 48 - 1

/** One row more than may be: so it is seen that there are too many. */
function rowsToKeep(plan: Plan, compiled: Sql, id: number, mostRows: number): Sql {
  const keys = numberKeys(plan).map(name => ident(`k_${name}`))
  const operators = plan.keys.operators ? sql`k_ops` : sql`${array(uint32, [])}`
  const sums = plan.sums.map(name => ident(`sum_${name}`))
  return sql`SELECT ${uint32(plan.company)}, ${uint64(BigInt(id))}, [${join(keys)}]::Array(UInt32), ${operators}, [${join(sums)}]
FROM (${compiled})
${mostRows > 0 ? sql`LIMIT ${uint64(mostRows + 1)}` : empty}`
}

function keptRelation(plan: Plan, id: number): Sql {
  const inKeys = numberKeys(plan)
  const keys = keyNames(plan).map(name =>
    name === 'ops' ? sql`operators AS k_ops` : sql`keys[${uint32(inKeys.indexOf(name) + 1)}] AS ${ident(`k_${name}`)}`,
  )
  const sums = plan.sums.map((name, i) => sql`sums[${uint32(i + 1)}] AS ${ident(`sum_${name}`)}`)
  return sql`SELECT ${join([...keys, ...sums])} FROM export_sums WHERE ${ofExport(plan.company, id)}`
}

async function readKeyValues(plan: Plan, relation: Sql, { store, options }: Asking) {
  const keys = keyNames(plan).map(name => sql`groupUniqArray(${ident(`k_${name}`)})`)
  const query = sql`SELECT count(), ${join(keys)} FROM (${relation})`
  const [counts, ...columns] = await store.columns<[number[], ...KeyValue[][][]]>(query, options)
  return { count: Number(counts[0]), keyValues: columns.map(([values = []]) => values) }
}

function numberKeys(plan: Plan): readonly KeyName[] {
  return keyNames(plan).filter(name => name !== 'ops')
}

/** Conditions for the rows of one export. */
export function ofExport(company: number, id: number): Sql {
  return sql`company = ${uint32(company)} AND export = ${uint64(BigInt(id))}`
}
