/**
 * Five reports of the same facts of a month: by Takt, from the parsed body to the JSON text, and by PostgreSQL and DuckDB, from
 * the query to its rows. All results are compared.
 *
 *   node --import tsx bench/stores/run.ts [machines=1000] [days=30] [repeats=10]
 *
 * Needs Debian's package postgresql; DuckDB is installed into a temporary folder.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonChunks } from '../../api/json/write-json.ts'
import type { Item } from '../../api/reports/present/present.ts'
import { freshDatabase } from '../../test/support/database.ts'
import { load } from '../reports/load.ts'
import { timed, Times } from '../reports/measure.ts'
import { createPlant, dayMs, startMs } from '../reports/plant.ts'
import { openDuckdb } from './duckdb.ts'
import { factTables, writeRows } from './facts.ts'
import { openPostgres } from './postgres.ts'
import { type ComparedReport, comparedReports } from './reports.ts'

const [machines = 1000, days = 30, repeats = 10] = process.argv.slice(2).map(Number)

const database = await freshDatabase()
const folder = await mkdtemp(join(tmpdir(), 'takt-bench-'))
const plant = createPlant(machines)
await load(database.store, plant, { machines, days, olderDays: 0 })
const reports = plant.reports(database.store, () => startMs + days * dayMs)
const others = [await openPostgres(), await openDuckdb(join(folder, 'duckdb'))]
try {
  for (const table of factTables) {
    const path = join(folder, `${table.name}.csv`)
    await writeRows(database.store, table, path)
    for (const other of others) {
      const ms = await timed(() => other.load(table, path))
      console.log(`${other.name}: ${table.name} loaded in ${(ms / 1000).toFixed(1)} s`)
    }
  }
  for (const other of others) await other.settle()
  for (const report of comparedReports(days)) await compare(report)
} finally {
  for (const other of others) await other.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
}

/** The first round compares the results; the others count. Each round queries all stores, one after the other. */
async function compare(report: ComparedReport): Promise<void> {
  const own = new Times()
  const theirs = new Map(others.map(other => [other, new Times()]))
  for (let round = 0; round <= repeats; round++) {
    let text = ''
    const ownMs = await timed(async () => {
      text = [...jsonChunks(await reports[report.kind](plant.company.id, report.body))].join('')
    })
    if (round > 0) own.add(ownMs)
    for (const [other, times] of theirs) {
      let rows: readonly (readonly number[])[] = []
      const ms = await timed(async () => void (rows = await other.query(report.select)))
      if (round > 0) times.add(ms)
      else expectSame(report, other.name, valuesOf(report, text), rows)
    }
  }
  const compared = [...theirs].map(([{ name }, times]) => {
    const ratio = times.at(0.5) / own.at(0.5)
    return `${name} ${times.at(0.5).toFixed(0)} ms (${ratio.toFixed(1)} times as long)`
  })
  console.log(`${report.name}: ${String(own)}; ${compared.join('; ')}`)
}

/** The values of the deepest groups, by the numbers in their ids. */
function valuesOf({ keys, values }: ComparedReport, text: string): ReadonlyMap<string, readonly number[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the request is for nested items
  const { items } = JSON.parse(text) as { items: readonly Item[] }
  const found = new Map<string, readonly number[]>()
  const visit = (all: readonly Item[], above: readonly number[]): void => {
    for (const { entity, aggregate, items: below } of all) {
      const path = [...above, Number(/\d+$/.exec(entity.id)?.[0] ?? 0)]
      if (path.length < keys) visit(below ?? [], path)
      else
        found.set(
          path.join('/'),
          values.map(name => aggregate[name] ?? Number.NaN),
        )
    }
  }
  visit(items, [])
  return found
}

function expectSame(
  { name, keys }: ComparedReport,
  store: string,
  expected: ReadonlyMap<string, readonly number[]>,
  rows: readonly (readonly number[])[],
): void {
  if (rows.length !== expected.size) throw new Error(`${name}: ${rows.length} groups in ${store}, not ${expected.size}`)
  for (const row of rows) {
    const key = row.slice(0, keys).join('/')
    const isSame = expected
      .get(key)
      ?.every((value, i) => Math.abs(value - (row[keys + i] ?? Number.NaN)) <= 1e-6 * Math.abs(value))
    if (isSame !== true)
      throw new Error(`${name}: ${key} is ${String(row.slice(keys))} in ${store}, not ${String(expected.get(key))}`)
  }
}
