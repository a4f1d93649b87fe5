import type { Admin, ITopicConfig } from 'kafkajs'
import { type DeletedRange, LogUnavailable, type TopicSpec } from '../log.ts'
import { retry } from '../../shared/async/retry.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { pause } from '../../shared/async/waiting.ts'
import { metadataMaxAgeMs, type KafkaContext } from './client.ts'
import { deniedChange, deniedRead, readTimeSettings, setAppendTime } from './append-time.ts'
import { isUnauthorized, toLogError, untilDone } from './errors.ts'
import type { BrokerAddress } from './reachability.ts'

/** Limit of a topic's records; kafkajs cannot read a broker's default. */
const maxMessageBytes = 8 << 20

export interface OffsetRange {
  /** First readable offset. */
  readonly low: number
  /** Next offset to write. */
  readonly high: number
}

/**
 * Retries of a failed request: `patient` retries like an append, for requests at the start, when brokers may be
 * starting too; `soon` is for repeated requests.
 */
export type Patience = 'patient' | 'soon'

/** Requests to the cluster other than those of producers and consumers. Errors are converted by `toLogError`. */
export class TopicAdmin {
  readonly #context: KafkaContext
  readonly #admin: Admin
  readonly #timeoutMs: number
  readonly #counts = new Map<string, number>()
  #isRefreshing = false
  readonly #closing = new AbortController()
  #connected: Promise<void> | undefined
  #brokers: readonly BrokerAddress[] = []

  constructor(context: KafkaContext) {
    this.#context = context
    this.#timeoutMs = context.timeoutMs
    this.#admin = context.asking.admin()
  }

  /** Resolves when all topics can be written and read, also those that other processes created. */
  async createTopics(specs: readonly TopicSpec[]): Promise<void> {
    await this.#request('patient', 'creating topics', async admin => {
      const existing = new Set(await admin.listTopics())
      const missing = specs.filter(({ name }) => !existing.has(name))
      // Also resolves if another process has created some of them.
      if (missing.length > 0) await admin.createTopics({ waitForLeaders: false, topics: missing.map(topicConfig) })
      for (const { name } of specs) await this.#waitForLeaders(admin, name)
    })
    for (const { name, isShared = false } of specs) if (isShared) await this.#ensureAppendTime(name)
  }

  async #ensureAppendTime(topic: string): Promise<void> {
    const { brokers, logger } = this.#context
    const denied = (describe: typeof deniedRead) => (error: unknown) => {
      throw isUnauthorized(error) ? describe(topic, brokers, error) : error
    }
    const read = this.#request('patient', `reading the settings of ${topic}`, admin => readTimeSettings(admin, topic))
    const settings = await read.catch(denied(deniedRead))
    if (settings.isAppendTime) return
    const change = this.#request('patient', `changing ${topic}`, admin => setAppendTime(admin, topic, settings))
    await change.catch(denied(deniedChange))
    logger?.warn({ topic }, 'Set message.timestamp.type=LogAppendTime of a topic that used producer timestamps')
  }

  topicNames(): Promise<readonly string[]> {
    return this.#request('patient', 'listing topics', admin => admin.listTopics())
  }

  /**
   * Returns the number of partitions from a cache, because each append needs it; the cache is refreshed every few
   * seconds.
   */
  async partitionCount(topic: string): Promise<number> {
    const known = this.#counts.get(topic)
    if (known !== undefined) return known
    const count = await this.#request('patient', `looking up ${topic}`, async admin => {
      const partitions = (await countPartitions(admin, [topic])).get(topic) ?? 0
      if (partitions === 0) throw new LogUnavailable(`Kafka has not published the partitions of ${topic} yet`)
      return partitions
    })
    this.#counts.set(topic, count)
    if (!this.#isRefreshing) {
      this.#isRefreshing = true
      // It ignores failures, and ends when the log is closed.
      crashOnRejection(this.#refreshCounts())
    }
    return count
  }

  /** Returns the readable range of offsets of each partition. */
  ranges(topic: string, patience: Patience): Promise<readonly OffsetRange[]> {
    return this.#request(patience, `reading the offsets of ${topic}`, async admin => {
      const rows = await retry(() => admin.fetchTopicOffsets(topic), withoutPartitions)
      const byPartition = rows.toSorted((left, right) => left.partition - right.partition)
      return byPartition.map(({ low, high }) => ({ low: Number(low), high: Number(high) }))
    })
  }

  /** Returns the group's committed offset of each partition; null if there is none. */
  committed(group: string, topic: string): Promise<readonly (number | null)[]> {
    return this.#request('soon', `reading the offsets of ${group}`, async admin => {
      const [row] = await admin.fetchOffsets({ groupId: group, topics: [topic] })
      const byPartition = (row?.partitions ?? []).toSorted((left, right) => left.partition - right.partition)
      return byPartition.map(({ offset }) => (Number(offset) < 0 ? null : Number(offset)))
    })
  }

  async deleteRecords(topic: string, { partition, offset, beforeMs }: DeletedRange): Promise<void> {
    await this.#request('soon', `deleting records of ${topic}`, async admin => {
      const [range, later] = await Promise.all([
        admin.fetchTopicOffsets(topic),
        admin.fetchTopicOffsetsByTimestamp(topic, beforeMs),
      ])
      const low = Number(range.find(each => each.partition === partition)?.low ?? 0)
      const firstLater = Number(later.find(each => each.partition === partition)?.offset ?? 0)
      const end = Math.min(offset, firstLater)
      if (end > low) await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(end) }] })
    })
  }

  /** Brokers of the cluster, as of the last `ping`. */
  get brokers(): readonly BrokerAddress[] {
    return this.#brokers
  }

  ping(patience: Patience): Promise<void> {
    return this.#request(patience, 'ping', async admin => {
      this.#brokers = (await admin.describeCluster()).brokers
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new LogUnavailable('The log is closed'))
    await this.#connected?.catch(() => undefined)
    await this.#admin.disconnect()
  }

  /** Partitions may be added to a topic, never removed. */
  async #refreshCounts(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await pause(metadataMaxAgeMs, signal)
      const topics = [...this.#counts.keys()]
      const read = this.#request('soon', 'looking up topics', admin => countPartitions(admin, topics))
      const counts = await read.catch(() => [])
      for (const [topic, count] of counts) if (count > (this.#counts.get(topic) ?? 0)) this.#counts.set(topic, count)
    }
  }

  /** Waits until all partitions of a topic have a leader: a new topic is not available on every broker immediately. */
  async #waitForLeaders(admin: Admin, topic: string): Promise<void> {
    const { signal } = this.#closing
    const policy = { firstDelayMs: 20, maxDelayMs: 500, withinMs: this.#timeoutMs, signal }
    await retry(() => admin.fetchTopicOffsets(topic), policy)
  }

  #request<T>(patience: Patience, doing: string, request: (admin: Admin) => Promise<T>): Promise<T> {
    const once = () => this.#tryOnce(doing, request)
    return patience === 'soon' ? once() : untilDone(this.#timeoutMs, once, this.#closing.signal)
  }

  async #tryOnce<T>(doing: string, request: (admin: Admin) => Promise<T>): Promise<T> {
    try {
      this.#connected ??= this.#admin.connect()
      await this.#connected
      return await request(this.#admin)
    } catch (error) {
      // The next request reconnects.
      this.#connected = undefined
      throw toLogError(error, doing)
    }
  }
}

/** A broker may report a new topic without partitions for a moment; kafkajs then fails with a TypeError. */
const withoutPartitions = {
  firstDelayMs: 10,
  maxRepeats: 5,
  isFinal: (error: unknown) => ![error, error instanceof Error && error.cause].some(each => each instanceof TypeError),
} as const

async function countPartitions(admin: Admin, topics: string[]): Promise<ReadonlyMap<string, number>> {
  const found = await admin.fetchTopicMetadata({ topics })
  return new Map(found.topics.map(({ name, partitions }) => [name, partitions.length]))
}

/** Only closed segments are compacted: this limits the records of old values in the newest one. */
const compactedSegmentBytes = 16 << 20

function topicConfig(spec: TopicSpec): ITopicConfig {
  const { name, partitions, retentionMs, retentionBytes, isCompacted = false } = spec
  return {
    topic: name,
    numPartitions: partitions,
    replicationFactor: -1,
    configEntries: [
      { name: 'retention.ms', value: String(retentionMs ?? -1) },
      { name: 'retention.bytes', value: String(retentionBytes ?? -1) },
      { name: 'message.timestamp.type', value: 'LogAppendTime' },
      { name: 'max.message.bytes', value: String(maxMessageBytes) },
      ...(isCompacted
        ? [
            { name: 'cleanup.policy', value: 'compact' },
            { name: 'segment.bytes', value: String(compactedSegmentBytes) },
          ]
        : []),
    ],
  }
}
