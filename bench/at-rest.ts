/**
 * Measures what a plant at rest costs: simulated machines of the demo send to a service that is started as users start it, embedded, and
 * nobody asks it for anything. Then how long a posted part takes until a report counts it.
 * `node --import tsx bench/at-rest.ts [machines = 24] [seconds = 30]`. It takes about a minute more: until the plant's first hour is in the reports
 * and merged, and for the parts. Progress goes to stderr.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type ChildService } from '../test/support/child-service.ts'
import { readAs } from '../test/support/read-as.ts'
import { insertCounts, insertsSince } from './ingest/usage.ts'
import { Times } from './reports/measure.ts'

const [machines = 24, seconds = 30] = process.argv.slice(2).map(Number)
/** Milliseconds of one tick of `/proc/<pid>/stat`. */
const tickMs = 10

const dataDir = mkdtempSync(join(tmpdir(), 'takt-bench-'))
const demo = { TAKT_DEMO: '1', TAKT_DEMO_MACHINES: String(machines), TAKT_DEMO_HOURS: '1' }
const service = await startChild({ TAKT_DATA_DIR: dataDir, ...demo })
try {
  await quiet(service)
  await atRest(service)
  await freshness(service)
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Resolves when the history is in the reports, and what it left to merge is merged. */
async function quiet({ call, pid, url }: ChildService): Promise<void> {
  // The records of many machines take the simulator minutes; its samples come after them.
  progress('the plant gets its records')
  const accepted = async () =>
    /^takt_samples_accepted_total (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
  const begunMs = performance.now()
  while (Number(await accepted()) === 0 && performance.now() - begunMs < 900_000) await sleep(1_000)
  const startedMs = performance.now()
  const isLate = () => performance.now() - startedMs > 90_000
  progress('the first hour of the plant comes into the reports')
  for (let calm = 0; calm < 8 && !isLate();) {
    await sleep(1_000)
    const { body } = await call('GET', '/health')
    const { lag } = readAs<{ lag: { seconds: number; records: number } }>(body)
    calm = lag.seconds < 8 && lag.records < machines * 10 ? calm + 1 : 0
  }
  progress('merges end')
  const merges = () => cpuByRole(pid).get('merges') ?? 0
  for (let calm = 0; calm < 5 && !isLate();) {
    const before = merges()
    await sleep(1_000)
    calm = merges() - before < 100 ? calm + 1 : 0
  }
  // A request has ended the rests: they grow to their length again.
  await sleep(30_000)
}

function progress(text: string): void {
  process.stderr.write(`… ${text}\n`)
}

async function atRest(child: ChildService): Promise<void> {
  progress(`at rest for ${seconds} s`)
  const inserts = await insertCounts(child)
  const before = cpuByRole(child.pid)
  const startedMs = performance.now()
  await sleep(seconds * 1_000)
  const wallMs = performance.now() - startedMs
  const after = cpuByRole(child.pid)
  const share = (ms: number) => `${((100 * ms) / wallMs).toFixed(1)} % of a core`
  for (const [role, ms] of after) console.log(`${role.padEnd(22)}${share(ms - (before.get(role) ?? 0))}`)
  const often = insertsSince(inserts, await insertCounts(child)).map(
    ([table, count]) => `${table} ${(count / (wallMs / 1000)).toFixed(2)}`,
  )
  console.log(`inserts a second: ${often.join(', ')}`)
  console.log(`memory: ${(memoryKb(child.pid) / 1024).toFixed(0)} MB`)
}

/** A part every one to two seconds: from the post to the report that counts it. */
async function freshness({ call }: ChildService): Promise<void> {
  const machineId = randomUUID()
  await call('PUT', `/machines/${machineId}`, { name: 'freshness' })
  const post = (value: number) =>
    call('POST', '/ingest/samples', {
      machineId,
      samples: [{ timestamp: new Date().toISOString(), key: 'parts', type: 'PART_COUNT', value }],
    })
  const report = {
    start: new Date(Date.now() - 3_600_000).toISOString(),
    end: new Date(Date.now() + 3_600_000).toISOString(),
    data: [{ metric: 'totalParts' }],
    filter: { machine: [machineId] },
  }
  const parts = async () => {
    const { body } = await call('POST', '/reports/production', report)
    return readAs<{ aggregate?: { totalParts?: number } }>(body).aggregate?.totalParts
  }
  progress('parts are posted')
  await post(0)
  const times = new Times()
  for (let value = 1; value <= 10; value++) {
    await sleep(1_000 + 1_000 * Math.random())
    const postedMs = performance.now()
    await post(value)
    while ((await parts()) !== value && performance.now() - postedMs < 20_000) await sleep(10)
    times.add(performance.now() - postedMs)
  }
  console.log(`post to report        ${times.toString()}`)
}

/** CPU time by role of thread, ms; threads that have ended are in `all` alone. */
function cpuByRole(pid: number): ReadonlyMap<string, number> {
  const roles = new Map([['all', cpuMs(`/proc/${pid}/stat`).ms]])
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const { name, ms } = cpuMs(`/proc/${pid}/task/${thread}/stat`)
      const role = roleOf(name, Number(thread) === pid)
      roles.set(role, (roles.get(role) ?? 0) + ms)
    } catch {
      // It has ended since.
    }
  }
  return roles
}

function roleOf(name: string, isMain: boolean): string {
  if (isMain) return 'main thread'
  if (/^(node|V8|libuv)/.test(name)) return 'threads of Node'
  if (name.startsWith('Merge')) return 'merges'
  return 'other of the engine'
}

function cpuMs(path: string): { readonly name: string; readonly ms: number } {
  const text = readFileSync(path, 'utf8')
  const end = text.lastIndexOf(')')
  const fields = text.slice(end + 2).split(' ')
  return { name: text.slice(text.indexOf('(') + 1, end), ms: (Number(fields[11]) + Number(fields[12])) * tickMs }
}

function memoryKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
