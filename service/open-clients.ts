import { join } from 'node:path'
import type { Logger } from 'pino'
import { openEmbeddedStore } from '../clickhouse/client/embedded-store.ts'
import { migrate } from '../clickhouse/migrations/migrate.ts'
import { setSampleRetention } from '../clickhouse/samples/samples.ts'
import { openServerStore } from '../clickhouse/client/server-store.ts'
import type { Store } from '../clickhouse/client/store.ts'
import { requireDurable } from '../clickhouse/client/durability.ts'
import { openEmbeddedLog } from '../log/embedded/embedded-log.ts'
import { openKafkaLog } from '../log/kafka/kafka-log.ts'
import type { Log, TopicSpec } from '../log/log.ts'
import { topics } from '../schema/topics.ts'
import type { Config } from './config.ts'
import { hourMs } from '../shared/time/units.ts'

/** How long a process that was killed keeps its partitions. */
const sessionTimeoutMs = 10_000

/** Opens the log that the settings name. */
export async function openLog(config: Config, clock: () => number, logger: Logger): Promise<Log> {
  const brokers = config.KAFKA_BROKERS
  return brokers.length > 0
    ? openKafkaLog({ brokers, clientId: 'takt', logger, sessionTimeoutMs })
    : openEmbeddedLog({ path: join(config.TAKT_DATA_DIR, 'log'), clock })
}

/** Makes the topics that the log lacks. */
export async function prepareLog(log: Log, config: Config): Promise<void> {
  await log.createTopics(topicSpecs(config))
}

function topicSpecs(config: Config): readonly TopicSpec[] {
  const partitions = config.TAKT_PARTITIONS
  const retentionMs = config.TAKT_SAMPLES_RETENTION_HOURS * hourMs
  return [
    { name: topics.samples, partitions, retentionMs },
    { name: topics.facts, partitions, retentionMs },
    { name: topics.live, partitions: 1, retentionMs: hourMs },
    { name: topics.deadLetters, partitions: 1, retentionMs: null },
    { name: topics.commands, partitions: 1, retentionMs: 24 * hourMs },
    { name: topics.records, partitions: 1, retentionMs: null },
  ]
}

/** Opens the store that the settings name. */
export async function openStore(config: Config): Promise<Store> {
  return config.CLICKHOUSE_URL === null
    ? openEmbeddedStore({ path: join(config.TAKT_DATA_DIR, 'store'), database: config.CLICKHOUSE_DATABASE })
    : openServerStore({
        url: config.CLICKHOUSE_URL,
        database: config.CLICKHOUSE_DATABASE,
        username: config.CLICKHOUSE_USER,
        password: config.CLICKHOUSE_PASSWORD,
      })
}

/** Makes the tables that the store lacks. Rejects where an acknowledged row would not survive a power cut. */
export async function prepareStore(store: Store, config: Config, logger: Logger): Promise<void> {
  const done = await migrate(store)
  if (done.length > 0) logger.info({ migrations: done }, 'store migrated')
  await requireDurable(store)
  await setSampleRetention(store, config.TAKT_RAW_SAMPLES_DAYS)
}
