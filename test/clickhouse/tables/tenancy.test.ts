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
    const read = new RegExp(String.raw`\b(FROM|JOIN)\s+(${names})\b(?!\()`)
    const found = sources.filter(({ text }) => read.test(text.replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, '')))
    expect(found.map(({ path }) => path)).to.deep.equal([])
  })

  it('cross companies only where that is on the list', () => {
    const found = sources.filter(({ path, text }) => path !== 'clickhouse/tables/from.ts' && text.includes('fromAll('))
    expect(found.map(({ path }) => path).sort()).to.deep.equal(readersOfAll)
  })
})
