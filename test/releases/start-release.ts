import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { built } from '../support/built.ts'
import { childEnv } from '../support/child-service.ts'
import { settled, testKey } from '../support/service.ts'
import type { RecordedRequest } from './plant.ts'

/** A service on a data folder, with a clock that stands still. */
export interface ReleaseService {
  readonly url: string
  /** Sends a request; resolves to the status and the text of the response. */
  readonly send: (request: RecordedRequest) => Promise<{ readonly status: number; readonly text: string }>
  readonly settled: () => Promise<void>
  /** Resolves when the process has ended. */
  readonly stop: () => Promise<void>
}

/** The secret with which the releases encrypted those of webhooks. */
const secretFile = fileURLToPath(new URL('secret-of-fixtures', import.meta.url))

/** Starts a service with settings; rejects with its output if it ends before it listens. `nowMs`: its clock, UTC. */
export async function startRelease(settings: Readonly<Record<string, string>>, nowMs: number): Promise<ReleaseService> {
  const script = await built('test/releases/service.ts')
  // The raw samples of a fixture are older than the default retention.
  const common = { TAKT_RAW_SAMPLES_DAYS: '20000', TAKT_PARTITIONS: '2', TAKT_CONNECT_SECRET_FILE: secretFile }
  const env = childEnv({ ...common, ...settings })
  const child = spawn(process.execPath, [script, String(nowMs)], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const first = await Promise.race([once(child.stdout, 'data'), ended])
  if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}: ${errors}`)
  const url = String(first[0]).trim()
  return {
    url,
    async send({ method, path, body, key = testKey }) {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    },
    settled: () => settled(url),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
