import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync } from 'node:fs'
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { cpuOf } from '../support/usage.ts'
import { createStatement, type FactTable } from './facts.ts'
import type { OtherStore } from './other-store.ts'

const versions = '/usr/lib/postgresql'
const endMark = '-- end of the answer --'

/** Settings that the manual recommends for analysis on a dedicated machine: memory for sorting and hashing, and both cores for one query. */
const settings = {
  shared_buffers: '4GB',
  work_mem: '512MB',
  maintenance_work_mem: '1GB',
  effective_cache_size: '12GB',
  max_parallel_workers_per_gather: '2',
  max_wal_size: '16GB',
  random_page_cost: '1.1',
  listen_addresses: '',
}

/** Indexes of the tables: reports read days, lists read the stops of a machine. */
const afterLoading = [
  'CREATE INDEX ON segments (shop_date, machine)',
  'CREATE INDEX ON stops (shop_date, machine)',
  'VACUUM (ANALYZE)',
]

export interface Postgres extends OtherStore {
  /** Inserts rows as text of COPY, in one transaction. */
  copyText(table: string, rows: string): Promise<void>
  /** CPU time of the processes of the server so far. */
  cpuMs(): number
}

/** PostgreSQL of Debian, in a new cluster that is removed when it is closed. Rejects if PostgreSQL is not installed. */
export async function openPostgres(): Promise<Postgres> {
  const bin = await binaries()
  const folder = await mkdtemp(join(tmpdir(), 'takt-postgres-'))
  await ownFolder(folder)
  run(asOwner(join(bin, 'initdb'), '-D', join(folder, 'data'), '-A', 'trust', '-U', 'takt', '-E', 'UTF8', '--no-sync'))
  const flags = Object.entries({ ...settings, unix_socket_directories: folder }).flatMap(([k, v]) => [
    '-c',
    `${k}=${v}`,
  ])
  const [command, args] = asOwner(join(bin, 'postgres'), '-D', join(folder, 'data'), ...flags)
  const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'ignore'] })
  const connection = ['-h', folder, '-U', 'takt', '-d', 'postgres', '-X', '-q', '-v', 'ON_ERROR_STOP=1']
  const psql = join(bin, 'psql')
  await untilAnswers(() => spawnSync(psql, [...connection, '-c', 'SELECT 1'], { stdio: 'ignore' }).status === 0)
  const session = new Session(spawn(psql, [...connection, '-At', '-F', ','], { stdio: ['pipe', 'pipe', 'inherit'] }))
  return {
    name: `PostgreSQL ${bin.split('/').at(-2)}`,
    async load(table, path) {
      await session.ask(createStatement(table))
      await copy(psql, connection, table, path)
    },
    async settle() {
      for (const statement of afterLoading) await session.ask(statement)
    },
    query: async select => (await session.ask(select)).map(line => line.split(',').map(Number)),
    copyText: (table, rows) => session.copy(table, rows),
    cpuMs: () => cpuOfAll(server.pid ?? 0),
    async close() {
      session.end()
      const gone = once(server, 'exit')
      server.kill('SIGINT')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function binaries(): Promise<string> {
  const found = await readdir(versions).catch(() => [])
  const newest = found.map(Number).toSorted((a, b) => b - a)[0]
  if (newest === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  return join(versions, String(newest), 'bin')
}

/** PostgreSQL does not run as root. */
const isRoot = process.getuid?.() === 0

async function ownFolder(folder: string): Promise<void> {
  if (!isRoot) return
  const id = (flag: string): number => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  await chown(folder, id('-u'), id('-g'))
  await chmod(folder, 0o755)
}

function asOwner(command: string, ...args: string[]): [string, string[]] {
  return isRoot
    ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', command, ...args]]
    : [command, args]
}

function run([command, args]: [string, string[]]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
}

async function untilAnswers(answers: () => boolean): Promise<void> {
  const untilMs = performance.now() + 30_000
  while (!answers()) {
    if (performance.now() > untilMs) throw new Error('PostgreSQL did not start within 30 s')
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

async function copy(psql: string, connection: readonly string[], { name }: FactTable, path: string): Promise<void> {
  const child = spawn(psql, [...connection, '-c', `COPY ${name} FROM STDIN (FORMAT csv)`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const gone = once(child, 'exit')
  await pipeline(createReadStream(path), child.stdin)
  const [code] = await gone
  if (code !== 0) throw new Error(`COPY of ${name} failed`)
}

/** One client as in an application: it stays connected, and sends one query after the other. */
class Session {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(child: ChildProcess) {
    this.#child = child
    if (child.stdout === null) throw new Error('psql has no output')
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  }

  async ask(statement: string): Promise<readonly string[]> {
    this.#child.stdin?.write(`${statement};\n\\echo '${endMark}'\n`)
    const lines: string[] = []
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done === true) throw new Error(`psql ended at ${statement}`)
      if (value === endMark) return lines
      lines.push(value)
    }
  }

  async copy(table: string, rows: string): Promise<void> {
    this.#child.stdin?.write(`COPY ${table} FROM STDIN;\n${rows}\\.\n`)
    await this.ask('SELECT 1')
  }

  end(): void {
    this.#child.stdin?.end()
  }
}

/** CPU time of a process and its children, in ms. */
function cpuOfAll(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return children.reduce((sum, child) => sum + cpuOf(Number(child)).all / 1000, cpuOf(pid).all / 1000)
}
