import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createStatement } from './facts.ts'
import type { OtherStore } from './other-store.ts'

const version = '1.5.6-r.1'

/** The part of the DuckDB client that is used here. */
interface Client {
  readonly DuckDBInstance: { create(path: string, settings: Readonly<Record<string, string>>): Promise<Instance> }
}
interface Instance {
  connect(): Promise<Connection>
  closeSync(): void
}
interface Connection {
  run(statement: string): Promise<unknown>
  runAndReadAll(select: string): Promise<{ getRowsJS(): unknown[][] }>
  closeSync(): void
}

/** DuckDB in this process, with its file in a folder. It is not a dependency: its npm package is installed into the folder. */
export async function openDuckdb(folder: string): Promise<OtherStore> {
  const install = [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `@duckdb/node-api@${version}`,
  ]
  if (spawnSync('npm', install, { stdio: 'inherit' }).status !== 0) throw new Error('Failed to install DuckDB')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the package is not there when types are checked
  const { DuckDBInstance } = createRequire(join(folder, 'package.json'))('@duckdb/node-api') as Client
  const instance = await DuckDBInstance.create(join(folder, 'facts.duckdb'), { threads: '2' })
  const connection = await instance.connect()
  return {
    name: `DuckDB ${version}`,
    async load(table, path) {
      await connection.run(createStatement(table))
      await connection.run(`COPY ${table.name} FROM '${path}' (FORMAT csv, HEADER false)`)
    },
    async settle() {
      await connection.run('CHECKPOINT')
    },
    query: async select => (await connection.runAndReadAll(select)).getRowsJS().map(row => row.map(Number)),
    async close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
