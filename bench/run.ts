/**
 * Runs the benchmarks one after the other, prints a table, and writes `bench/results/<date>.json`.
 * `npm run bench [-- [--full] [names…]]`: by default each in its short form, a few minutes in all; a name is a part of a script's path.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Bench {
  readonly script: string
  /** Arguments of the short form, of about half a minute. */
  readonly short: Arguments
  readonly full: Arguments
  /** A folder or program that the benchmark needs; it is skipped without it. */
  readonly needs?: Need
  readonly environment?: NodeJS.ProcessEnv
}
type Arguments = readonly (string | number)[]

/** Returns the missing folder or program, or null. */
type Need = () => string | null

const java: Need = () => (spawnSync('java', ['-version']).error ? 'Java, for the broker' : null)
const mosquitto: Need = () => (existsSync('/usr/sbin/mosquitto') ? null : "Debian's package mosquitto")
const postgres: Need = () => (existsSync('/usr/lib/postgresql') ? null : "Debian's package postgresql")

interface Result {
  readonly script: string
  readonly command: string
  readonly seconds: number
  /** Load of the machine at the begin and at the end: other work makes every figure worse. */
  readonly load: readonly [number, number]
  readonly isWhole: boolean
  /** The missing folder or program, if the benchmark was skipped. */
  readonly missing?: string
  readonly figures: readonly string[]
}

const benches: readonly Bench[] = [
  { script: 'parse-json.ts', short: [], full: [] },
  { script: 'decode.ts', short: [], full: [] },
  { script: 'accept.ts', short: [], full: [2_000_000] },
  { script: 'connect/mtconnect.ts', short: [200_000], full: [] },
  { script: 'connect/mqtt.ts', short: [400], full: [2_000], needs: mosquitto },
  { script: 'connect/reconnect.ts', short: [100, 5, 10], full: [500, 20] },
  { script: 'connect/idle-machines.ts', short: [15, 1], full: [30, 3] },
  { script: 'compute-hour.ts', short: [], full: [] },
  { script: 'log.ts', short: [], full: [] },
  { script: 'documents.ts', short: [500, 24], full: [5_000, 24] },
  { script: 'days.ts', short: [500], full: [5_000] },
  { script: 'access.ts', short: [], full: [] },
  { script: 'workbook.ts', short: [], full: [] },
  { script: 'records.ts', short: [], full: [] },
  { script: 'late-data.ts', short: [], full: [] },
  { script: 'late-data.ts', short: [2018, 5], full: [2010, 20] },
  { script: 'start.ts', short: [200, 30], full: [1000, 365] },
  { script: 'ingest/run.ts', short: [500_000, 200], full: [5_000_000, 1_000] },
  { script: 'ingest/run.ts', short: [500_000, 1_000], full: [5_000_000, 5_000] },
  { script: 'ingest/run.ts', short: [200_000, 200, 20, 20], full: [2_000_000, 1_000, 20, 20] },
  { script: 'ingest/run.ts', short: [100_000, 1_000, 1, 500], full: [1_000_000, 1_000, 1, 500] },
  {
    script: 'ingest/run.ts',
    short: [300_000, 200],
    full: [1_000_000, 1_000],
    needs: java,
    environment: { TAKT_BENCH_KAFKA: '1' },
  },
  { script: 'ingest/processes.ts', short: [], full: [], needs: java },
  { script: 'ingest/burst.ts', short: [68_000, 1_000], full: [] },
  { script: 'steady/run.ts', short: [1_000, 5_000, 20], full: [5_000, 6_000, 40] },
  { script: 'steady/run.ts', short: [1_000, 25_000, 20], full: [5_000, 25_000, 40] },
  { script: 'response/run.ts', short: [200, 1_000, 20, 400, 20], full: [5_000, 25_000, 200, 10_000, 60] },
  { script: 'response/evaluate.ts', short: [1_000, 40, 2_000, 10], full: [] },
  { script: 'overload/run.ts', short: [100, 4], full: [] },
  { script: 'at-rest.ts', short: [24, 30], full: [24, 60] },
  { script: 'at-rest.ts', short: [200, 30], full: [1_000, 60] },
  { script: 'live/whole-way.ts', short: [], full: [] },
  { script: 'live/run.ts', short: [2_000, 4], full: [] },
  { script: 'live/run.ts', short: [2_000, 4, 'uws', 2], full: [10_000, 10, 'uws', 2] },
  { script: 'live/run.ts', short: [2_000, 4, 'ws', 2], full: [10_000, 10, 'ws', 2] },
  { script: 'graphql/run.ts', short: [200, 3], full: [] },
  { script: 'graphql/subscriptions.ts', short: [10, 200], full: [] },
  { script: 'reports/run.ts', short: [500, 7, 30, 5], full: [] },
  { script: 'stores/run.ts', short: [200, 7, 3], full: [], needs: postgres },
  { script: 'stores/copy.ts', short: [], full: [], needs: postgres },
  { script: 'web/run.ts', short: [1_000, 500, 5], full: [] },
  { script: 'web/flood.ts', short: [], full: [] },
  { script: 'job-import.ts', short: [20_000], full: [] },
]

const folder = fileURLToPath(new URL('.', import.meta.url))
const asked = process.argv.slice(2)
const isFull = asked.includes('--full')
const names = asked.filter(name => !name.startsWith('--'))
const chosen = benches.filter(({ script }) => names.length === 0 || names.some(name => script.includes(name)))
if (chosen.length === 0) throw new Error(`Unknown benchmark: ${names.join(', ')}`)

const results: Result[] = []
for (const [place, bench] of chosen.entries()) {
  progress(`${place + 1} of ${chosen.length}: ${bench.script}`)
  results.push(await run(bench))
}
printTable()
const path = write()
progress(`wrote ${relative(process.cwd(), path)}`)
process.exitCode = results.every(({ isWhole }) => isWhole) ? 0 : 1

/** Resolves when the script has ended; its progress is passed on to stderr immediately. */
async function run({ script, short, full, needs, environment }: Bench): Promise<Result> {
  const args = ['--import', 'tsx', join('bench', script), ...(isFull ? full : short).map(String)]
  const variables = Object.entries(environment ?? {}).map(([name, value]) => `${name}=${value} `)
  const command = `${variables.join('')}node ${args.join(' ')}`
  const missing = needs?.() ?? null
  if (missing !== null) return { script, command, seconds: 0, load: [0, 0], isWhole: true, missing, figures: [] }
  const before = loadavg()[0] ?? 0
  const startedMs = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: join(folder, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    progress(chunk.toString().trim().split('\n').at(-1) ?? '')
  })
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return {
    script,
    command,
    seconds: Math.round((performance.now() - startedMs) / 1_000),
    load: [before, loadavg()[0] ?? 0],
    isWhole: code === 0,
    figures: text.split('\n').filter(line => line.trim() !== ''),
  }
}

function printTable(): void {
  for (const { command, seconds, load, isWhole, missing, figures } of results) {
    const ran = missing
      ? `skipped: needs ${missing}`
      : `${seconds} s, load ${load.map(each => each.toFixed(1)).join(' to ')}`
    const heading = `${command} (${ran})`
    console.log(`\n${heading}${isWhole ? '' : ': failed'}\n${'─'.repeat(heading.length)}`)
    for (const line of figures) console.log(`  ${line}`)
  }
}

function write(): string {
  const [cpu] = cpus()
  const machine = { cpu: cpu?.model ?? '', cores: cpus().length, memoryGb: Math.round(totalmem() / 2 ** 30) }
  const at = new Date().toISOString()
  mkdirSync(join(folder, 'results'), { recursive: true })
  const file = join(folder, 'results', `${at.slice(0, 19).replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify({ at, node: process.version, machine, isFull, results }, null, 2)}\n`)
  return file
}

function progress(text: string): void {
  process.stderr.write(`… ${text.slice(0, 140)}\n`)
}
