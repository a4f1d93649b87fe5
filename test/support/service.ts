import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { readConfig } from '../../service/config.ts'
import { startTakt, type Takt, type TaktOptions } from '../../service/start/takt.ts'
import type { Health } from '../../schema/requests/health.ts'
import { freshDatabase } from './database.ts'

export const testKey = 'a-key-for-tests-of-32-characters-or-more'

/** A whole service: every role, the embedded log, a database in this process's chDB, and a clock that the test sets. */
export interface TestService extends Takt {
  setClock(nowMs: number): void
  /** Sends a request as a client does; returns status and body. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<{ readonly status: number; readonly body: unknown }>
  /** Resolves when every accepted sample and record is in the reports. */
  settled(): Promise<void>
}

export interface TestServiceOptions extends Partial<Pick<TaktOptions, 'log' | 'store' | 'problems' | 'recordLimits'>> {
  readonly env?: Readonly<Record<string, string>>
  /** The fixed time of the clock until it is set; by default the clock is the system's. */
  readonly nowMs?: number
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'takt-service-'))
  const database = options.store ? null : await freshDatabase()
  let nowMs: number | null = options.nowMs ?? null
  const env = {
    TAKT_PORT: '0',
    TAKT_DEMO: '0',
    TAKT_ADMIN_KEY: testKey,
    TAKT_DATA_DIR: dataDir,
    TAKT_RATE_LIMIT: '0',
    // ClickHouse drops old samples by the real time, regardless of the test's clock.
    TAKT_RAW_SAMPLES_DAYS: '20000',
  }
  const takt = await startTakt({
    config: readConfig({ ...env, ...options.env }),
    logger: pino({ level: process.env['TAKT_TEST_LOG'] ?? 'error' }, pino.destination(2)),
    clock: () => nowMs ?? Date.now(),
    ...(options.log && { log: options.log }),
    ...(options.problems && { problems: options.problems }),
    ...(options.recordLimits && { recordLimits: options.recordLimits }),
    store: options.store ?? must(database).store,
  })
  const call = caller(takt.url)
  return {
    ...takt,
    call,
    setClock: at => {
      nowMs = at
    },
    settled: () => settled(takt.url),
    async stop() {
      await takt.stop()
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Sends a request to a service with the test's key. */
export function caller(url: string, key: string = testKey): TestService['call'] {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    return { status: response.status, body: answer }
  }
}

/** Resolves when a service reports that its reports have no lag. */
export async function settled(url: string, withinMs = 200_000): Promise<void> {
  const untilMs = Date.now() + withinMs
  // Polling takes time from the awaited work: the interval increases.
  for (let waitMs = 10; ; waitMs = Math.min(200, waitMs * 1.5)) {
    const response = await fetch(`${url}/health`)
    const health: Health = JSON.parse(await response.text())
    if (health.lag.records === 0) return
    if (Date.now() > untilMs)
      throw new Error(`The reports are still behind after ${withinMs} ms: ${JSON.stringify(health)}`)
    await sleep(waitMs)
  }
}

function must<T>(value: T | null): T {
  if (value === null) throw new Error('A service has a store of its own or is given one')
  return value
}
