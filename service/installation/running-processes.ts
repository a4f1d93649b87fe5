import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { readPendingMigrations } from '../../clickhouse/migrations/migrate.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { Log } from '../../log/log.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { liveRecord } from '../../processors/partitions/live-record.ts'
import type { Records } from '../../processors/records/records.ts'
import { logFormat } from '../../schema/commands/command-log.ts'
import { type RunningProcess, topics } from '../../schema/topics.ts'
import { every } from '../../shared/async/every.ts'
import { pause } from '../../shared/async/waiting.ts'
import { parseLiveMessage, startsWithKind } from '../live/message.ts'
import { InstallationError, isReadable } from './check-installation.ts'

const publishEveryMs = 5_000
/** Time in which each running process publishes at least twice. */
const listenMs = 11_000

interface Ports {
  readonly log: Log
  readonly store: Store
  readonly logger: Pick<Logger, 'warn' | 'info'>
}

/** Publishes this process to processes of later versions that start; returns a function that ends it. */
export async function announceProcess({ log, store, logger }: Ports, roles: readonly string[]): Promise<() => void> {
  const { newest } = await readPendingMigrations(store)
  const self: RunningProcess = { id: randomUUID(), version: packageJson.version, roles, newestMigration: newest }
  const publish = (): void => {
    log
      .append(topics.live, [liveRecord({ kind: 'process', ...self })])
      .catch((error: unknown) => logger.warn({ err: error }, 'Failed to publish the version of this process'))
  }
  publish()
  return every(publishEveryMs, publish)
}

/**
 * Rejects with an `InstallationError` if processes of an earlier version are running that cannot work with the tables of
 * this version. Waits for their messages only if this version has such a migration to run. Writes nothing.
 */
export async function rejectOlderProcesses({ log, store, logger }: Ports): Promise<void> {
  const { breaking, compatibleFrom } = await readPendingMigrations(store)
  if (breaking.length === 0 || !(await log.topicNames()).includes(topics.live)) return
  logger.info({ migrations: breaking }, 'Waiting for messages of running processes of an earlier version')
  const running = await findProcesses(log)
  const older = running.filter(({ newestMigration }) => newestMigration < compatibleFrom)
  if (older.length === 0) return
  const list = older.map(({ version, roles }) => `${version} (${roles.join(', ')})`).join('; ')
  throw new InstallationError(
    [
      `Processes of an earlier version are running: ${list}. They cannot work with the tables that this version creates (${breaking.join(', ')}). Nothing was changed.`,
      'What to do, in this order:',
      '1. Stop all processes of the earlier version.',
      '2. Back up log and store: the earlier version cannot be started afterwards.',
      '3. Start a process of this version with the role process, then the others.',
    ].join('\n'),
  )
}

/** Returns the processes that publish a message within some seconds. */
async function findProcesses(log: Log): Promise<readonly RunningProcess[]> {
  const found = new Map<string, RunningProcess>()
  const follower = await log.follow({
    topic: topics.live,
    from: 'latest',
    onBatch: ({ records }) => {
      for (const { value } of records) {
        const message = startsWithKind(value) ? parseLiveMessage(value, 'process') : null
        if (message) found.set(message.id, message)
      }
    },
  })
  await pause(listenMs)
  await follower.stop()
  return [...found.values()]
}

/**
 * Throws an `InstallationError` if a later version has continued the log in a format that this version cannot read, also since
 * the start of this process.
 */
export function rejectLaterFormat(records: Pick<Records, 'installation'>): void {
  const record = records.installation()
  if (record === null || isReadable(record.format)) return
  throw new InstallationError(
    `A later version has continued the log in format ${record.format}; this version reads up to ${logFormat}, so this process ends.\n` +
      'What to do: start the later version.',
  )
}
