import type {
  ConsumeOptions,
  Consumer,
  DeletedRange,
  Follower,
  FollowOptions,
  Log,
  NewRecord,
  Position,
  TopicSpec,
  Transactor,
  TransactorScope,
} from '../log.ts'
import { createKafkaContext, type KafkaContext, type KafkaLogOptions } from './client.ts'
import { GroupReader, type GroupReaderOptions } from './group-reader.ts'
import { BatchingProducer } from './batching-producer.ts'
import { TopicAdmin, type OffsetRange } from './topic-admin.ts'
import { openTransactor, type PlacedRecord } from './transactor.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { CompactedTopics } from '../compacted-topics.ts'
import { followStarts } from '../follow-starts.ts'
import { Partitioner } from '../partitioner.ts'
import { addressOf, Reachability } from './reachability.ts'

/**
 * Opens the log on Kafka, through kafkajs. Appends are idempotent with acks=all; readers see only committed
 * transactions. Rejects with `LogUnavailable` if no broker responds in time.
 */
export async function openKafkaLog(options: KafkaLogOptions): Promise<Log> {
  const context = createKafkaContext(options)
  const admin = new TopicAdmin(context)
  try {
    await admin.ping('patient')
  } catch (error) {
    await admin.close().catch(() => undefined)
    throw error
  }
  const seeds = options.brokers.map(addressOf)
  return new KafkaLog(context, admin, new Reachability(() => [...seeds, ...admin.brokers]))
}

class KafkaLog implements Log {
  readonly kind = 'kafka'
  readonly #context: KafkaContext
  readonly #admin: TopicAdmin
  readonly #reachability: Reachability
  readonly #compacted = new CompactedTopics()
  readonly #producers = new Map<string, BatchingProducer>()
  readonly #partitioners = new Map<string, Partitioner>()
  readonly #readers = new Set<GroupReader>()
  readonly #transactors = new Set<Transactor>()

  constructor(context: KafkaContext, admin: TopicAdmin, reachability: Reachability) {
    this.#context = context
    this.#admin = admin
    this.#reachability = reachability
  }

  createTopics(topics: readonly TopicSpec[]): Promise<void> {
    this.#compacted.add(topics)
    return this.#admin.createTopics(topics)
  }

  topicNames(): Promise<readonly string[]> {
    return this.#admin.topicNames()
  }

  partitionCount(topic: string): Promise<number> {
    return this.#admin.partitionCount(topic)
  }

  async append(topic: string, records: readonly NewRecord[]): Promise<readonly Position[]> {
    if (records.length === 0) return []
    const partitions = await this.#assign(topic, records)
    const producer = getOrCreate(this.#producers, topic, () => this.#createProducer(topic))
    return producer.append(records, partitions)
  }

  async consume(options: ConsumeOptions): Promise<Consumer> {
    const { topic, group } = options
    const startOffsets = async (): Promise<ReadonlyMap<number, number>> => {
      const [committed, ranges] = await Promise.all([
        this.#admin.committed(group, topic),
        this.#admin.ranges(topic, 'soon'),
      ])
      return new Map(
        ranges.map(({ low, high }, partition) => {
          const next = committed[partition] ?? low
          return [partition, next < low || next > high ? low : next]
        }),
      )
    }
    const reader = this.#createReader({ ...options, isCompacted: this.#compacted.has(topic), startOffsets })
    await reader.start()
    return {
      commit: (partition, nextOffset) => reader.commit(partition, nextOffset),
      pause: partition => reader.pause(partition),
      resume: partition => reader.resume(partition),
      stop: () => this.#stop(reader),
    }
  }

  async follow(options: FollowOptions): Promise<Follower> {
    const { topic, partitions: followed, onBatch } = options
    const ranges = await this.#admin.ranges(topic, 'patient')
    const starts = followStarts(
      options,
      ranges.map(({ low, high }) => ({ start: low, end: high })),
    )
    // A partition that was added since is read from its beginning.
    const startOffsets = async (partitions: readonly number[]) =>
      new Map(partitions.map(partition => [partition, starts.get(partition) ?? 0]))
    const isCompacted = this.#compacted.has(topic)
    const reader = this.#createReader({
      topic,
      group: null,
      partitions: followed,
      isCompacted,
      startOffsets,
      onBatch,
    })
    const reachedAll = async (to: readonly OffsetRange[]): Promise<void> => {
      const partitions = followed ?? [...to.keys()]
      await Promise.all(partitions.map(each => reader.partitionReader(each).reached(to[each]?.high ?? 0)))
    }
    const caughtUp = reachedAll(ranges)
    await reader.start()
    const catchUp = async (): Promise<void> => reachedAll(await this.#admin.ranges(topic, 'soon'))
    return { caughtUp, catchUp, stop: () => this.#stop(reader) }
  }

  async transactor(id: string, scope: TransactorScope): Promise<Transactor> {
    const place = (records: Parameters<Transactor['commit']>[0]) => this.#place(records)
    const transactor = await openTransactor(this.#context, { id, scope, admin: this.#admin, place })
    this.#transactors.add(transactor)
    return {
      commit: (records, input) => transactor.commit(records, input),
      close: async () => {
        if (this.#transactors.delete(transactor)) await transactor.close()
      },
    }
  }

  async endOffsets(topic: string): Promise<readonly number[]> {
    return (await this.#admin.ranges(topic, 'soon')).map(({ high }) => high)
  }

  committed(group: string, topic: string): Promise<readonly (number | null)[]> {
    return this.#admin.committed(group, topic)
  }

  deleteRecords(topic: string, before: DeletedRange): Promise<void> {
    return this.#admin.deleteRecords(topic, before)
  }

  ping(): Promise<void> {
    return this.#admin.ping('soon')
  }

  whileReachable<T>(call: () => Promise<T>): Promise<T> {
    return this.#reachability.guard(call)
  }

  async close(): Promise<void> {
    this.#reachability.close()
    await Promise.all([...this.#readers].map(reader => this.#stop(reader)))
    await Promise.all([...this.#transactors].map(transactor => transactor.close()))
    await Promise.all([...this.#producers.values()].map(producer => producer.close()))
    await this.#admin.close()
  }

  #createProducer(topic: string): BatchingProducer {
    return new BatchingProducer(topic, this.#context, this.#compacted.has(topic))
  }

  #createReader(options: Omit<GroupReaderOptions, 'isReachable'>): GroupReader {
    const isReachable = () => this.#reachability.isReachable()
    const reader = new GroupReader(this.#context, { ...options, isReachable })
    this.#readers.add(reader)
    return reader
  }

  async #stop(reader: GroupReader): Promise<void> {
    if (this.#readers.delete(reader)) await reader.stop()
  }

  async #assign(topic: string, records: readonly NewRecord[]): Promise<readonly number[]> {
    this.#compacted.requireKeys(topic, records)
    const count = await this.#admin.partitionCount(topic)
    return getOrCreate(this.#partitioners, topic, () => new Partitioner()).assign(records, count)
  }

  async #place(records: Parameters<Transactor['commit']>[0]): Promise<readonly PlacedRecord[]> {
    const placed: PlacedRecord[] = []
    for (const record of records) {
      const [partition = 0] = await this.#assign(record.topic, [record])
      placed.push({ record, partition, isCompacted: this.#compacted.has(record.topic) })
    }
    return placed
  }
}
