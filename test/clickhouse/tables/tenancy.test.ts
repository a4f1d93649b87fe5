import { expect } from 'chai'
import { readdir, readFile } from 'node:fs/promises'
import { allTables } from '../../../clickhouse/tables/all-tables.ts'

/**
 * Files that may read rows of several companies: the processors, whose partitions contain machines of all companies,
 * and the registrar.
 */
const readersOfAll = [
  'clickhouse/documents/day-store.ts', // coverage of a partition's days and stale marks
  'clickhouse/documents/progress-store.ts', // the highest fence
  'clickhouse/projections/installation.ts',
  'clickhouse/projections/job-operations.ts', // the highest offset of a command
  'clickhouse/projections/recent-records.ts', // recent records with a time, for each process
  'clickhouse/projections/restore.ts', // all records, to restore a lost log
  'clickhouse/projections/stored-records.ts', // all records, for each process
  'clickhouse/projections/timed-records.ts', // the earliest and the latest start in a table, from its metadata
]

/** Files that may build SQL from text without the tag: from names in a registry, and from complete statements. */
const writersOfRawSql = [
  'api/files/parquet.ts', // names of columns of files
  'clickhouse/client/embedded-store.ts', // path of an output file
  'clickhouse/migrations/migrate.ts', // statements of the migrations
  'clickhouse/tables/table.ts', // names of tables and columns
]

const folders = ['api', 'clickhouse', 'demo', 'ingest', 'log', 'processors', 'schema', 'service', 'shared']

describe('reads of tables', () => {
  let sources: readonly { readonly path: string; readonly text: string }[]
  before(async () => {
    const found = await Promise.all(folders.map(folder => readdir(folder, { recursive: true })))
    const paths = found
      .flatMap((names, i) => names.map(name => `${folders[i]}/${name}`))
      .filter(name => name.endsWith('.ts'))
    sources = await Promise.all(paths.map(async path => ({ path, text: await readFile(path, 'utf8') })))
  })

  it('No SQL names a table in FROM or JOIN without `from`', () => {
    const names = allTables.map(({ name }) => name).join('|')
    const read = new RegExp(String.raw`\b(FROM|JOIN|IN|TABLE|INTO)\s+(${names})\b(?!\()`)
    const found = sources.filter(({ text }) => read.test(text.replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, '')))
    expect(found.map(({ path }) => path)).to.deep.equal([])
  })

  it('Only the listed files read across companies', () => {
    const found = sources.filter(({ path, text }) => path !== 'clickhouse/tables/from.ts' && text.includes('fromAll('))
    expect(found.map(({ path }) => path).sort()).to.deep.equal(readersOfAll)
  })

  it('Only `from` marks SQL with a company, and only the listed files build SQL without the tag', () => {
    const callersOf = (pattern: RegExp) =>
      sources
        .filter(({ path, text }) => path !== 'clickhouse/sql/sql.ts' && pattern.test(text))
        .map(({ path }) => path)
        .sort()
    expect(callersOf(/\bmarked\(/)).to.deep.equal(['clickhouse/tables/from.ts'])
    expect(callersOf(/\brawSql\(/)).to.deep.equal(writersOfRawSql)
    expect(callersOf(/\bmark: '|\{ parts: \[|\{ parts \}( as|$)/m)).to.deep.equal([])
  })
})
