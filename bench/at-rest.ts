/**
 * Measures the cost of an idle plant: simulated machines of the demo send to an embedded service that is started as users start it, without
 * readers. Its memory is compared with that of an idle engine. Then the delay from a posted part to a report that counts it is measured.
 * `node --import tsx bench/at-rest.ts [machines = 24] [seconds = 30]`. It takes about three minutes longer: until the plant's first hour is in the reports
 * and merged, until V8 has released the memory that this took, and for the parts. Progress goes to stderr.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { built } from '../test/support/built.ts'
import { nodeFlags, startChild, startVariables, type ChildService } from '../test/support/child-service.ts'
import { readAs } from '../test/support/read-as.ts'
import { PartProbe } from './support/part-probe.ts'
import { cpuOf, insertCounts, insertsSince, memoryOf } from './support/usage.ts'

const goalMb = 150
const [machines = 24, seconds = 30] = process.argv.slice(2).map(Number)

const dataDir = mkdtempSync(join(tmpdir(), 'takt-bench-'))
const demo = { TAKT_DEMO: '1', TAKT_DEMO_MACHINES: String(machines), TAKT_DEMO_HOURS: '1' }
const idle = await startIdleEngine(join(dataDir, 'idle'))
const service = await startChild({ TAKT_DATA_DIR: dataDir, ...demo })
try {
  await quiet(service)
  await atRest(service)
  progress('posting parts')
  const probe = await PartProbe.add(service)
  console.log(`post to report        ${String(await probe.toReport(15_000))}`)
} finally {
  idle.kill()
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Resolves when the history is in the reports and its parts are merged. */
async function quiet({ call, pid, url }: ChildService): Promise<void> {
  // The records of many machines take the simulator minutes; its samples follow.
  progress('creating the records of the plant')
  const accepted = async () =>
    /^takt_samples_accepted_total (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
  const begunMs = performance.now()
  while (Number(await accepted()) === 0 && performance.now() - begunMs < 900_000) await sleep(1_000)
  const startedMs = performance.now()
  const isLate = () => performance.now() - startedMs > 90_000
  progress('waiting until the first hour of the plant is in the reports')
  for (let calm = 0; calm < 8 && !isLate();) {
    await sleep(1_000)
    const { body } = await call('GET', '/health')
    const { lag } = readAs<{ lag: { seconds: number; records: number } }>(body)
    calm = lag.seconds < 8 && lag.records < machines * 10 ? calm + 1 : 0
  }
  progress('waiting for merges')
  const merges = () => cpuByRole(pid).get('merges') ?? 0
  for (let calm = 0; calm < 5 && !isLate();) {
    const before = merges()
    await sleep(1_000)
    calm = merges() - before < 100_000 ? calm + 1 : 0
  }
  // The reads above have shortened the flush intervals, which grow to their length again. V8 releases memory 100 s after its last full collection.
  progress('waiting until V8 releases memory')
  await sleep(110_000)
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
  const share = (us: number) => `${(us / wallMs / 10).toFixed(1)} % of a core`
  for (const [role, us] of after) console.log(`${role.padEnd(22)}${share(us - (before.get(role) ?? 0))}`)
  const often = insertsSince(inserts, await insertCounts(child)).map(
    ([table, count]) => `${table} ${(count / (wallMs / 1000)).toFixed(2)}`,
  )
  console.log(`inserts a second: ${often.join(', ')}`)
  const [mb, idleMb] = [memoryOf(child.pid), memoryOf(idle.pid ?? -1)]
  const beyond = `${(mb - idleMb).toFixed(0)} MB beyond the ${idleMb.toFixed(0)} MB of an idle engine`
  console.log(`memory: ${mb.toFixed(0)} MB, ${beyond} (goal ${goalMb} MB for 24 machines)`)
}

/** Starts Node.js with the engine and empty, migrated tables; resolves once it is idle. */
async function startIdleEngine(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...nodeFlags, await built('bench/support/idle-engine.ts'), path], {
    env: { ...startVariables, ...process.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('The idle engine has ended'))),
  ])
  return child
}

/** CPU time by role of thread, µs; threads that have ended count only in `all`. */
function cpuByRole(pid: number): ReadonlyMap<string, number> {
  const { all, threads } = cpuOf(pid)
  const roles = new Map([['all', all]])
  for (const [thread, us] of threads) roles.set(roleOf(thread), (roles.get(roleOf(thread)) ?? 0) + us)
  return roles
}

function roleOf(thread: string): string {
  if (thread === 'main') return 'main thread'
  if (thread === 'node') return 'threads of Node'
  return thread.startsWith('Merge') ? 'merges' : 'other of the engine'
}
