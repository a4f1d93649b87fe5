import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/**
 * Loaded before the tests: a run with workers ends with a list of the slowest files, as candidates for optimization. `TAKT_TEST_TIMES`
 * names a file for the list of all.
 */
const isWorker = process.env['MOCHA_WORKER_ID'] !== undefined
const shownFiles = 10
/** Mocha's main process sets the variable, and passes its environment on to the workers. */
const folderName = 'TAKT_TEST_TIMES_FOLDER'
const msPerTick = 10

if (!isWorker) process.env[folderName] = mkdtempSync(join(tmpdir(), 'takt-times-'))

let startedMs = 0
let startedCpuMs = 0
/** The CPU time of the worker when the file before had ended: what follows is the loading of modules. */
let endedCpuMs = 0

export const mochaHooks = {
  beforeAll() {
    startedMs = performance.now()
    startedCpuMs = cpuMs()
  },
  afterAll(this: Mocha.Context) {
    const file = this.test?.parent?.suites[0]?.file
    if (!isWorker || file === undefined) return
    const loadMs = startedCpuMs - endedCpuMs
    endedCpuMs = cpuMs()
    const cells = [performance.now() - startedMs, endedCpuMs - startedCpuMs, loadMs].map(ms => (ms / 1000).toFixed(1))
    appendFileSync(timesFile(), `${[...cells, relative(process.cwd(), file)].join('\t')}\n`)
  },
}

export function mochaGlobalTeardown(): void {
  const lines = timesOf().toSorted((a, b) => b.cpuS - a.cpuS)
  const all = lines.reduce((sum, { cpuS }) => sum + cpuS, 0)
  const loading = lines.reduce((sum, { loadS }) => sum + loadS, 0)
  const shown = lines.slice(0, shownFiles)
  if (shown.length > 0)
    process.stdout.write(
      `\nSlowest files (of ${all.toFixed(0)} s of CPU in all, and ${loading.toFixed(0)} s for loading):\n`,
    )
  for (const { wallS, cpuS, file } of shown)
    process.stdout.write(`  ${cpuS.toFixed(1).padStart(6)} s of CPU in ${wallS.toFixed(1).padStart(6)} s  ${file}\n`)
  const kept = process.env['TAKT_TEST_TIMES']
  if (kept !== undefined && shown.length > 0) copyFileSync(timesFile(), kept)
  rmSync(process.env[folderName] ?? '', { recursive: true, force: true })
}

interface Time {
  readonly wallS: number
  /** Including the processes that the file started and waited for. */
  readonly cpuS: number
  /** CPU time of the worker before the tests of the file. */
  readonly loadS: number
  readonly file: string
}

function timesOf(): readonly Time[] {
  return readIfThere(timesFile())
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [wall, cpu, load, file = ''] = line.split('\t')
      return { wallS: Number(wall), cpuS: Number(cpu), loadS: Number(load), file }
    })
}

function timesFile(): string {
  return join(process.env[folderName] ?? tmpdir(), 'times.tsv')
}

/** CPU time of this process and of its ended children; only of this process if the system does not report the latter. */
function cpuMs(): number {
  const stat = readIfThere('/proc/self/stat')
  const [user, system, childrenUser, childrenSystem] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
  if (user === undefined || system === undefined || childrenUser === undefined || childrenSystem === undefined) {
    const own = process.cpuUsage()
    return (own.user + own.system) / 1000
  }
  return (user + system + childrenUser + childrenSystem) * msPerTick
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
