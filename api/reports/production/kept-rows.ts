import { randomInt } from 'node:crypto'
import { array, ident, join, type Sql, sql, uint32, uint64 } from '../../../clickhouse/sql.ts'
import type { Columns, KeyName, KeyValue } from '../columns.ts'
import { refuseWithoutCompany } from '../guard.ts'
import type { Asking } from '../ask.ts'
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

/** Has the store keep the answer to a compiled plan. Rejects with `StoreError`; then nothing is left. */
export async function keepRows(plan: Plan, compiled: Sql, { store, options }: Asking): Promise<KeptRows> {
  const { company } = plan
  const id = randomInt(1, maxId)
  const { readonly: _, ...settings } = options.settings ?? {}
  const drop = async () => {
    // A partition is named by a literal: no parameter is taken here.
    for (const table of ['export_sums', 'export_names'] as const)
      await store.command(sql`ALTER TABLE ${ident(table)} DROP PARTITION ${{ parts: [String(id)] }}`)
  }
  const relation = keptRelation(plan, id)
  try {
    const insert = sql`INSERT INTO export_sums (company, export, keys, operators, sums)
${refuseWithoutCompany(rowsToKeep(plan, compiled, id), company)}`
    await store.command(insert, { ...options, settings })
    const keyValues = await readKeyValues(plan, relation, { store, options })
    return { company, id, relation, keyValues, read: () => store.numbers(relation, options), drop }
  } catch (error) {
    await drop()
    throw error
  }
}

/** As many as `randomInt` draws from. */
const maxId = 2 ** 48 - 1

function rowsToKeep(plan: Plan, compiled: Sql, id: number): Sql {
  const keys = numberKeys(plan).map(name => ident(`k_${name}`))
  const operators = plan.keys.operators ? sql`k_ops` : sql`${array(uint32, [])}`
  const sums = plan.sums.map(name => ident(`sum_${name}`))
  return sql`SELECT ${uint32(plan.company)}, ${uint64(BigInt(id))}, [${join(keys)}]::Array(UInt32), ${operators}, [${join(sums)}]
FROM (${compiled})`
}

function keptRelation(plan: Plan, id: number): Sql {
  const inKeys = numberKeys(plan)
  const keys = keyNames(plan).map(name =>
    name === 'ops' ? sql`operators AS k_ops` : sql`keys[${uint32(inKeys.indexOf(name) + 1)}] AS ${ident(`k_${name}`)}`,
  )
  const sums = plan.sums.map((name, i) => sql`sums[${uint32(i + 1)}] AS ${ident(`sum_${name}`)}`)
  return sql`SELECT ${join([...keys, ...sums])} FROM export_sums WHERE ${ofExport(plan.company, id)}`
}

async function readKeyValues(plan: Plan, relation: Sql, { store, options }: Asking): Promise<KeptRows['keyValues']> {
  const keys = keyNames(plan).map(name => sql`groupUniqArray(${ident(`k_${name}`)})`)
  const columns = await store.columns<KeyValue[][][]>(sql`SELECT ${join(keys)} FROM (${relation})`, options)
  return columns.map(([values = []]) => values)
}

function numberKeys(plan: Plan): readonly KeyName[] {
  return keyNames(plan).filter(name => name !== 'ops')
}

/** Conditions for the rows of one export. */
export function ofExport(company: number, id: number): Sql {
  return sql`company = ${uint32(company)} AND export = ${uint64(BigInt(id))}`
}
