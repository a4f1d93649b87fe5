import { join } from 'node:path'
import type { Logger } from 'pino'
import type { openEmbeddedStore as openEmbeddedStoreType } from '../clickhouse/client/embedded-store.ts'
import { migrate, MigrationError, readPendingMigrations } from '../clickhouse/migrations/migrate.ts'
import { setSampleRetention } from '../clickhouse/samples/samples.ts'
import { openServerStore } from '../clickhouse/client/server-store.ts'
import { isAccessDenied as isStoreAccessDenied } from '../clickhouse/client/store-error.ts'
import type { Store } from '../clickhouse/client/store.ts'
import { requireDurable } from '../clickhouse/client/durability.ts'
import { positionsTopic } from '../connect/positions/position.ts'
import { openEmbeddedLog } from '../log/embedded/embedded-log.ts'
// Imported statically: tsx may load a module twice if it is imported later, and there would be two different classes
// `LogUnavailable`.
import { openKafkaLog } from '../log/kafka/kafka-log.ts'
import { isAccessDenied as isLogAccessDenied } from '../log/kafka/errors.ts'
import type { Log, TopicSpec } from '../log/log.ts'
import { topics, type Topic } from '../schema/topics.ts'
import { readClickhouseAccess, readKafkaAccess } from './access.ts'
import type { Config } from './config.ts'
import { logFolderError, storeFolderError } from './folder-errors.ts'
import { withoutCredentials } from './settings/setting.ts'
import { causesOf, StartError } from './start-error.ts'
import { logDamageReporter } from './log-damage.ts'
import { connectWithRetry } from './connect-with-retry.ts'
import type { Problems } from '../shared/problems.ts'
import { hourMs } from '../shared/time/units.ts'

/** Time after which Kafka reassigns the partitions of a killed process. */
const sessionTimeoutMs = 10_000

/** Writes a line about the progress of the start. */
export type StartupReporter = (line: string) => void
export const toStderr: StartupReporter = line => process.stderr.write(`${line}\n`)

/** Called when writes of the embedded store have failed, with their number. */
type OnFailedWrites = (count: number) => void

interface LogOptions {
  readonly config: Config
  /** UTC ms. */
  readonly clock: () => number
  readonly logger: Logger
  readonly problems: Problems
  readonly report: StartupReporter
}

/**
 * Opens the log that the settings name. While brokers are unavailable, waits and writes a line every minute; rejects
 * with a `StartError` for an error that a retry cannot solve.
 */
export async function openLog({ config, clock, logger, problems, report }: LogOptions): Promise<Log> {
  const brokers = config.KAFKA_BROKERS
  if (brokers.length === 0) return openLogFolder(config, clock, problems)
  const access = await readKafkaAccess(config)
  return connectWithRetry(
    () => openKafkaLog({ brokers, clientId: 'takt', logger, sessionTimeoutMs, problems, ...access }),
    {
      what: `Kafka at ${brokers.join(',')} (KAFKA_BROKERS)`,
      isAccessDenied: isLogAccessDenied,
      credentials: 'KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD (or its file), or KAFKA_SASL_MECHANISM',
    },
    report,
  )
}

async function openLogFolder(config: Config, clock: () => number, problems: Problems): Promise<Log> {
  const path = join(config.TAKT_DATA_DIR, 'log')
  try {
    return await openEmbeddedLog({ path, clock, problems, ...logDamageReporter(problems, path) })
  } catch (error) {
    throw await logFolderError(error, path, config.TAKT_DATA_DIR)
  }
}

/** Creates missing topics. */
export async function prepareLog(log: Log, config: Config): Promise<void> {
  await log.createTopics(topicSpecs(config))
}

function topicSpecs(config: Config): readonly TopicSpec[] {
  const partitions = config.TAKT_PARTITIONS
  const retentionMs = config.TAKT_SAMPLES_RETENTION_HOURS * hourMs
  const specs: { readonly [Name in Topic]: TopicSpec & { readonly name: Name } } = {
    [topics.samples]: { name: topics.samples, partitions, retentionMs, isShared: true },
    [topics.stateSamples]: { name: topics.stateSamples, partitions, retentionMs },
    [topics.live]: { name: topics.live, partitions: 1, retentionMs: hourMs },
    [topics.deadLetters]: {
      name: topics.deadLetters,
      partitions: 1,
      retentionMs: null,
      retentionBytes: config.TAKT_DEAD_LETTERS_MAX_BYTES,
    },
    [topics.commands]: { name: topics.commands, partitions: 1, retentionMs: 24 * hourMs },
    [topics.records]: { name: topics.records, partitions: 1, retentionMs: null },
    [topics.connectorPositions]: positionsTopic,
  }
  return Object.values(specs)
}

/** Opens the store that the settings name; waits like `openLog`. Rejects if this version cannot work with its tables. */
export async function openStore(
  config: Config,
  report: StartupReporter,
  onFailedWrites: OnFailedWrites,
): Promise<Store> {
  const store = await connectStore(config, report, onFailedWrites)
  try {
    await readPendingMigrations(store)
    return store
  } catch (error) {
    await store.close()
    throw error instanceof MigrationError ? new StartError(error.message, { cause: error }) : error
  }
}

async function connectStore(config: Config, report: StartupReporter, onFailedWrites: OnFailedWrites): Promise<Store> {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_DATABASE: database } = config
  if (url === null) return openStoreFolder(config, onFailedWrites)
  const access = await readClickhouseAccess(config)
  return connectWithRetry(
    () => openServerStore({ url, database, ...access }),
    {
      what: `ClickHouse at ${withoutCredentials(url)} (CLICKHOUSE_URL)`,
      isAccessDenied: isStoreAccessDenied,
      credentials: 'CLICKHOUSE_USER and CLICKHOUSE_PASSWORD (or its file)',
    },
    report,
  )
}

async function openStoreFolder(config: Config, onFailedWrites: OnFailedWrites): Promise<Store> {
  const path = join(config.TAKT_DATA_DIR, 'store')
  const openEmbeddedStore = await loadEngine()
  try {
    return await openEmbeddedStore({ path, database: config.CLICKHOUSE_DATABASE, onFailedWrites })
  } catch (error) {
    throw storeFolderError(error, path)
  }
}

/**
 * Imports the embedded engine only when it is needed: it takes half a gigabyte of disk, and a process with a ClickHouse
 * server may lack it.
 */
async function loadEngine(): Promise<typeof openEmbeddedStoreType> {
  try {
    return (await import('../clickhouse/client/embedded-store.ts')).openEmbeddedStore
  } catch (error) {
    throw new StartError(
      `The embedded store can't be loaded: ${causesOf(error)[0] ?? String(error)}.\n` +
        'What to do: set CLICKHOUSE_URL to a ClickHouse server; or install the engine (npm install chdb; for an image: docker build ' +
        '--build-arg TAKT_EMBEDDED=1).',
      { cause: error },
    )
  }
}

/** Creates missing tables. Rejects with a `StartError` if acknowledged rows would not survive a power failure. */
export async function prepareStore(store: Store, config: Config, logger: Logger): Promise<void> {
  const done = await migrate(store)
  if (done.length > 0) logger.info({ migrations: done }, 'Migrated store')
  await requireDurable(store)
  await setSampleRetention(store, config.TAKT_RAW_SAMPLES_DAYS)
}
