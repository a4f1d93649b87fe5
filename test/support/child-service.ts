import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { built } from './built.ts'
import { caller, settled, testKey, type TestService } from './service.ts'

/** The service as users run it: the built `main.ts` in a separate process with the system's clock. */
export interface ChildService {
  readonly url: string
  readonly pid: number
  readonly call: TestService['call']
  /** Resolves when every accepted sample and record is in the reports; rejects with the end of the log. */
  settled(): Promise<void>
  /** Sends SIGKILL: the process cannot finish anything. */
  kill(): Promise<void>
  /** Resolves when the process has ended. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Text that the process has written to stderr. */
  said(): string
  /** Sends SIGTERM; resolves to the exit code and the duration. */
  stop(): Promise<{ readonly code: number | null; readonly tookMs: number }>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const startWords = packageJson.scripts.start.split(' ')
/** Node's flags of `npm start`: the text between `node` and the script. */
export const nodeFlags = startWords.slice(startWords.indexOf('node') + 1, -2)
/** Variables that `npm start` sets for the process: the text before `node`. */
export const startVariables = Object.fromEntries(
  startWords.slice(0, startWords.indexOf('node')).map(word => {
    const [name = '', value = ''] = word.split('=')
    return [name, value]
  }),
)
const running = new Set<ChildProcess>()
const folders: string[] = []
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/**
 * Starts a service and resolves when it listens; rejects with its output if it ends before. `main`: path of another built `main.ts`.
 * With `TAKT_TEST_PROFILE` it writes a profile of its CPU time into that folder when it is stopped.
 */
export async function startChild(env: Readonly<Record<string, string>>, main?: string): Promise<ChildService> {
  const profile = process.env['TAKT_TEST_PROFILE']
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const child = spawn(process.execPath, [...nodeFlags, ...profiling, main ?? (await built('main.ts'))], {
    cwd: root,
    env: childEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const ended: ChildService['exited'] = new Promise(resolve => {
    child.once('exit', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  const exited = ended.then(({ code }) => code)
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const url = await listening(child, exited)
  return {
    url,
    pid: child.pid ?? -1,
    call: caller(url),
    settled: () =>
      settled(url).catch((error: unknown) => {
        throw new Error(`${String(error)}\nLast lines of its log:\n${lastLines(said)}`, { cause: error })
      }),
    exited: ended,
    said: () => said,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      const startedMs = performance.now()
      child.kill('SIGTERM')
      return { code: await exited, tookMs: performance.now() - startedMs }
    },
  }
}

/** The last 20 lines, each cut to 2,000 characters: an error of the store may contain a long statement. */
function lastLines(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .slice(-20)
    .map(line => line.slice(0, 2_000))
    .join('\n')
}

/** CLICKHOUSE_URL and KAFKA_BROKERS of the tests' environment are not passed on to it. */
const defaults = {
  TAKT_PORT: '0',
  TAKT_HOST: '127.0.0.1',
  TAKT_DEMO: '0',
  TAKT_ADMIN_KEY: testKey,
  TAKT_RATE_LIMIT: '0',
  TAKT_LOG_LEVEL: process.env['TAKT_TEST_LOG'] ?? 'error',
  CLICKHOUSE_URL: '',
  KAFKA_BROKERS: '',
}

/** Creates a folder that is deleted when the tests end. */
function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'takt-child-'))
  folders.push(folder)
  return folder
}

/** The environment of the tests without their `TAKT_…` variables, which the service would reject. */
export function environmentWithoutTakt(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TAKT_')))
}

/** The environment of a process with these settings; without TAKT_DATA_DIR the process has an empty folder. */
export function childEnv(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    ...startVariables,
    ...environmentWithoutTakt(),
    ...defaults,
    TAKT_DATA_DIR: env['TAKT_DATA_DIR'] ?? freshFolder(),
    ...env,
  }
}

async function listening(child: ChildProcess, exited: Promise<number | null>): Promise<string> {
  let said = ''
  const url = new Promise<string>(resolve => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const found = /Page\s+(http:\/\/[^/\s]+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    if (process.env['TAKT_TEST_LOG']) process.stderr.write(`[${child.pid}] ${chunk.toString()}`)
  })
  const ended = exited.then(code => {
    throw new Error(`The service ended with ${code}: ${said}`)
  })
  ended.catch(() => undefined)
  return Promise.race([url, ended])
}
