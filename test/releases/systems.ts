import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { built } from '../support/built.ts'
import { childEnv } from '../support/child-service.ts'
import { startBrokerOf } from '../support/kafka.ts'

/** Log and store in files of a service, or in those of a Kafka broker and a ClickHouse server. */
export type System = 'embedded' | 'servers'
export const systems: readonly System[] = ['embedded', 'servers']

/** Log and store that run on the files of a folder. */
export interface RunningSystem {
  /** Settings of services on them. */
  readonly settings: Readonly<Record<string, string>>
  /** Ends both, so that their files are complete. */
  shutDown(): Promise<void>
  kill(): Promise<void>
}

/** Starts log and store on the files of a folder, which may be empty; null if Kafka is missing. */
export async function startSystem(system: System, folder: string): Promise<RunningSystem | null> {
  const own = { TAKT_DATA_DIR: join(folder, 'takt') }
  mkdirSync(own.TAKT_DATA_DIR, { recursive: true })
  if (system === 'embedded') return { settings: own, shutDown: async () => {}, kill: async () => {} }
  const kafka = join(folder, 'kafka')
  mkdirSync(kafka, { recursive: true })
  const broker = await startBrokerOf(kafka)
  if (!broker) return null
  const clickhouse = await startClickhouse(join(folder, 'clickhouse'))
  return {
    settings: { ...own, ...clickhouse.settings, KAFKA_BROKERS: broker.brokers.join(',') },
    shutDown: async () => void (await Promise.all([broker.shutDown(), clickhouse.end()])),
    kill: async () => void (await Promise.all([broker.kill(), clickhouse.end()])),
  }
}

async function startClickhouse(folder: string) {
  const script = await built('test/releases/clickhouse.ts')
  const child = spawn(process.execPath, [script, folder], { env: childEnv({}), stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const first = await Promise.race([once(child.stdout, 'data'), ended])
  if (child.exitCode !== null) throw new Error(`ClickHouse ended with ${child.exitCode}`)
  const settings: Readonly<Record<string, string>> = JSON.parse(String(first[0]))
  return {
    settings,
    async end() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
