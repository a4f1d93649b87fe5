import { expect } from 'chai'
import { readdir, readFile } from 'node:fs/promises'
import { allTables } from '../../../clickhouse/tables/all-tables.ts'

/** Who reads rows of several companies: the processors, whose partitions hold machines of all of them, and the registrar. */
const readersOfAll = [
  'clickhouse/documents/day-store.ts', // coverage of a partition's days, and marks of stale days
  'clickhouse/documents/progress-store.ts', // the highest fence
  'clickhouse/projections/highest-offset.ts', // how far a projection is
  'clickhouse/projections/installation.ts', // the format of all records
  'clickhouse/projections/restore.ts', // all records, where a log is lost
]

/** Who makes SQL of text that is no template: of names out of a registry, and of statements that are text already. */
const writersOfRawSql = [
  'api/files/column-name.ts', // names of columns of files
  'clickhouse/client/embedded-store.ts', // where a file goes
  'clickhouse/migrations/migrate.ts', // statements of the migrations
  'clickhouse/tables/table.ts', // names of tables and columns
]

const folders = ['api', 'clickhouse', 'demo', 'ingest', 'log', 'processors', 'schema', 'service', 'shared']

describe('reads of the tables', () => {
  let sources: readonly { readonly path: string; readonly text: string }[]
  before(async () => {
    const found = await Promise.all(folders.map(folder => readdir(folder, { recursive: true })))
    const paths = found
      .flatMap((names, i) => names.map(name => `${folders[i]}/${name}`))
      .filter(name => name.endsWith('.ts'))
    sources = await Promise.all(paths.map(async path => ({ path, text: await readFile(path, 'utf8') })))
  })

  it('are written by `from`: no table is named in a FROM or a JOIN', () => {
    const names = allTables.map(({ name }) => name).join('|')
    const read = new RegExp(String.raw`\b(FROM|JOIN|IN|TABLE|INTO)\s+(${names})\b(?!\()`)
    const found = sources.filter(({ text }) => read.test(text.replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, '')))
    expect(found.map(({ path }) => path)).to.deep.equal([])
  })

  it('cross companies only where that is on the list', () => {
    const found = sources.filter(({ path, text }) => path !== 'clickhouse/tables/from.ts' && text.includes('fromAll('))
    expect(found.map(({ path }) => path).sort()).to.deep.equal(readersOfAll)
  })

  it('are marked by `from` alone, and no SQL is made past the tag', () => {
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
