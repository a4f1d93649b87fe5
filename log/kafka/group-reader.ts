import { randomUUID } from 'node:crypto'
import type { Consumer as KafkaConsumer, EachBatchPayload } from 'kafkajs'
import { LogUnavailable, type Batch } from '../log.ts'
import { type FailingWork, RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import { persist, retry } from '../../shared/async/retry.ts'
import { pause } from '../../shared/async/waiting.ts'
import { waitAtMost } from '../../shared/async/wait-at-most.ts'
import { metadataMaxAgeMs, retryFor, waitForBrokerMs, type KafkaContext } from './client.ts'
import { batchMessagesOf } from './fetch-response.ts'
import { PartitionCommits } from '../partition-commits.ts'
import { Delivery } from '../delivery.ts'
import { PartitionReader } from './partition-reader.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'

/** How often a reader checks whether it fetches. */
const fetchCheckMs = 5_000
/** How often an idle or paused consumer polls; new records arrive immediately. */
const idleMs = 100
/** Reading is wanted for as long as it is not stopped, whatever the broker says. */
const patient = { firstDelayMs: 50, maxDelayMs: 5_000 } as const
const heartbeatEveryMs = 1_000
/** A transaction ends with a marker: those of this time are committed together. */
const commitSkippedAfterMs = 500
/** Without a broker to tell, leaving takes no longer than this; the group then notices by itself. */
const leaveWithinMs = 3_000

export interface GroupReaderOptions {
  readonly topic: string
  readonly group: string
  /** Where to read a partition from; asked after `onAssigned`, until it answers. */
  readonly startOffsets: (partitions: readonly number[]) => Promise<ReadonlyMap<number, number>>
  /** A group of one, in which nobody else can have had the partitions: they are kept when the membership is lost. */
  readonly alone?: boolean
  readonly onAssigned?: ((partitions: readonly number[]) => Promise<void>) | undefined
  readonly onRevoked?: ((partitions: readonly number[]) => Promise<void>) | undefined
  readonly acceptsDefects?: boolean | undefined
  /** Resolves to whether any broker can be reached. */
  readonly isReachable: () => Promise<boolean>
  readonly onBatch: (batch: Batch) => Promise<void> | void
}

/**
 * A member of a group. kafkajs fetches and keeps the membership alive; where to read and what to deliver is decided here: fetched
 * records go to the partition's `PartitionReader` at once, so that kafkajs never waits for a handler and goes on sending heartbeats.
 */
export class GroupReader {
  readonly #context: KafkaContext
  readonly #options: GroupReaderOptions
  readonly #readers = new Map<number, PartitionReader>()
  readonly #paused = new Set<number>()
  readonly #commits = new WeakMap<PartitionReader, PartitionCommits>()
  readonly #skipping = new WeakSet<PartitionReader>()
  /** Batches still in flight of partitions that were taken away. */
  readonly #leaving = new Map<number, Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #fetching: RepeatedFailure
  readonly #beginning: RepeatedFailure
  #fetchCheck: NodeJS.Timeout | undefined
  #fetchedMs = performance.now()
  #fetchError: unknown
  #consumer: KafkaConsumer
  #memberId = ''
  #joined: (() => void) | undefined

  constructor(context: KafkaContext, options: GroupReaderOptions) {
    this.#context = context
    this.#options = options
    this.#fetching = new RepeatedFailure(context.problems, `fetching ${randomUUID()}`)
    this.#beginning = new RepeatedFailure(context.problems, `beginning ${randomUUID()}`)
    this.#consumer = this.#create()
  }

  /** Resolves when the group has given this member its first partitions (perhaps none). */
  async start(): Promise<void> {
    const joined = new Promise<void>(resolve => (this.#joined = resolve))
    this.#fetchCheck = setInterval(() => neverRejects(this.#checkFetches()), fetchCheckMs).unref()
    this.#keepRunning()
    await waitAtMost(this.#context.timeoutMs, joined, async () => {
      await this.stop()
      throw new LogUnavailable(`Kafka: joining ${this.#options.group} took too long`)
    })
  }

  /** Ignored when the partition is not ours any more. Of several at a time the highest counts. */
  async commit(partition: number, nextOffset: number): Promise<void> {
    const reader = this.#readers.get(partition)
    if (reader === undefined) return
    const commits = this.#commits.get(reader) ?? new PartitionCommits(offset => this.#commit(reader, offset))
    this.#commits.set(reader, commits)
    await waitAtMost(this.#context.timeoutMs, commits.commit(reader.done(nextOffset)), () => {
      throw new LogUnavailable('Kafka: the commit took too long')
    })
  }

  async #commit(reader: PartitionReader, nextOffset: () => number): Promise<number> {
    const { topic } = this.#options
    const { partition } = reader
    const commit = async (): Promise<number> => {
      const offset = nextOffset()
      if (this.#readers.get(partition) === reader)
        await this.#consumer.commitOffsets([{ topic, partition, offset: String(offset) }])
      return offset
    }
    try {
      return await retry(commit, { firstDelayMs: 20, maxDelayMs: 1_000, withinMs: this.#context.timeoutMs })
    } catch (cause) {
      throw new LogUnavailable('Kafka: the commit was not taken', { cause })
    }
  }

  /** Commits offsets without a record, which no handler receives; otherwise they would count as unread until the next record. */
  async #commitSkipped(reader: PartitionReader): Promise<void> {
    const { signal } = this.#stopping
    if (this.#options.alone === true || this.#skipping.has(reader)) return
    this.#skipping.add(reader)
    await pause(commitSkippedAfterMs, signal)
    this.#skipping.delete(reader)
    const offset = reader.skippedTo
    if (signal.aborted || offset === null || this.#readers.get(reader.partition) !== reader) return
    await this.commit(reader.partition, offset).catch(() => this.#commitSkipped(reader))
  }

  pause(partition: number): void {
    this.#paused.add(partition)
    this.#readers.get(partition)?.pause()
  }

  resume(partition: number): void {
    this.#paused.delete(partition)
    this.#readers.get(partition)?.resume()
  }

  /** The partition being read, created when it is not assigned yet (only for a reader that is alone). */
  partitionReader(partition: number): PartitionReader {
    return this.#readers.get(partition) ?? this.#createReader(partition)
  }

  /** Leaves the group after the batches in flight, which may still be committed. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#fetchCheck)
    this.#fetching.ended()
    this.#beginning.ended()
    await Promise.all([...this.#readers.values()].map(reader => reader.stop()))
    this.#readers.clear()
    const left = this.#consumer.disconnect().catch(() => undefined)
    await waitAtMost(leaveWithinMs, left, () => undefined)
  }

  #create(): KafkaConsumer {
    const { group } = this.#options
    const { reading, sessionTimeoutMs } = this.#context
    const consumer = reading.consumer({
      groupId: group,
      allowAutoTopicCreation: false,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: sessionTimeoutMs,
      heartbeatInterval: Math.min(heartbeatEveryMs, sessionTimeoutMs / 3),
      maxWaitTimeInMs: idleMs,
      maxBytesPerPartition: 2 << 20,
      metadataMaxAge: metadataMaxAgeMs,
      // Named again, as kafkajs would put its own default of 5 over the client's.
      retry: retryFor(waitForBrokerMs),
    })
    consumer.on('consumer.group_join', ({ payload }) => {
      this.#onJoin(payload.memberId, payload.memberAssignment[this.#options.topic] ?? [])
    })
    consumer.on('consumer.fetch', () => {
      this.#fetchedMs = performance.now()
      this.#fetching.ended()
    })
    consumer.on('consumer.crash', ({ payload }) => {
      this.#fetchError = payload.error
      if (!payload.restart) this.#startAnew(consumer)
    })
    return consumer
  }

  /** kafkajs repeats what fails for a minute before it reports it: here the time without a fetch counts. */
  async #checkFetches(): Promise<void> {
    if (performance.now() - this.#fetchedMs < fetchCheckMs) return
    // Without a broker the log itself is unavailable, which `GET /health` shows.
    if (!(await this.#options.isReachable())) return this.#fetching.ended()
    this.#fetching.failed(this.#fetchError, () => this.#failingWork('receives nothing from the broker'))
  }

  #failingWork(what: string): FailingWork {
    const { topic, group, alone } = this.#options
    const reader = alone === true ? 'A reader' : `The consumer ${group}`
    return {
      code: 'consumer_failing',
      message: `${reader} of ${topic} ${what}. The log of the process has the error.`,
      topic,
    }
  }

  /** Restarts kafkajs also after a failure that it does not report. */
  #keepRunning(): void {
    const consumer = this.#consumer
    this.#run(consumer).catch(() => this.#startAnew(consumer))
  }

  async #run(consumer: KafkaConsumer): Promise<void> {
    const { signal } = this.#stopping
    const connect = async (): Promise<void> => {
      await consumer.connect()
      await consumer.subscribe({ topics: [this.#options.topic], fromBeginning: true })
    }
    await persist(connect, signal, patient)
    if (signal.aborted) return
    await consumer.run({ autoCommit: false, eachBatch: async payload => this.#onFetched(payload) })
  }

  /** kafkajs has given up on what it holds final; a broker that comes back may be of another mind. */
  #startAnew(crashed: KafkaConsumer): void {
    const start = async (): Promise<void> => {
      await pause(1_000, this.#stopping.signal)
      if (this.#stopping.signal.aborted || this.#consumer !== crashed) return
      this.#consumer = this.#create()
      await crashed.disconnect().catch(() => undefined)
      this.#keepRunning()
    }
    neverRejects(start())
  }

  #onFetched({ batch }: EachBatchPayload): void {
    const reader = this.#readers.get(batch.partition)
    if (reader === undefined) return
    reader.push(batchMessagesOf(batch.messages))
    if (reader.full) this.#setFetching(reader)
    // It retries what fails.
    neverRejects(this.#commitSkipped(reader))
  }

  /** Called by kafkajs between two fetches: what is set here holds for the next. */
  #onJoin(memberId: string, assigned: readonly number[]): void {
    if (this.#stopping.signal.aborted) return
    // Under another member id we were out of the group for a while, and somebody else may have had the partitions.
    const continued = memberId === this.#memberId || this.#options.alone === true
    this.#memberId = memberId
    const lost = [...this.#readers.keys()].filter(partition => !continued || !assigned.includes(partition))
    const begun = this.#drop(lost)
    const gained: PartitionReader[] = []
    for (const partition of assigned) {
      const known = this.#readers.get(partition)
      const reader = known ?? this.#createReader(partition)
      if (!reader.ready && (known === undefined || this.#options.alone === true)) gained.push(reader)
      this.#setFetching(reader)
    }
    // Both repeat what fails.
    if (gained.length > 0) neverRejects(begun.then(() => this.#begin(gained)))
    this.#joined?.()
  }

  async #drop(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) {
      const reader = this.#readers.get(partition)
      this.#readers.delete(partition)
      this.#paused.delete(partition)
      if (reader !== undefined) this.#leaving.set(partition, reader.stop())
    }
    // The partitions are gone either way.
    if (partitions.length > 0) await this.#options.onRevoked?.(partitions).catch(() => undefined)
  }

  #createReader(partition: number): PartitionReader {
    const { topic } = this.#options
    const { problems } = this.#context
    // The name of a follower's group says nothing.
    const group = this.#options.alone === true ? undefined : this.#options.group
    const reader: PartitionReader = new PartitionReader({
      topic,
      partition,
      target: new Delivery({ ...this.#options, topic, partition, group, problems }),
      onRoom: () => this.#setFetching(reader),
    })
    if (this.#paused.has(partition)) reader.pause()
    this.#readers.set(partition, reader)
    return reader
  }

  /** Sets the next offset of a partition in kafkajs, and whether it is fetched. */
  #setFetching(reader: PartitionReader): void {
    if (this.#readers.get(reader.partition) !== reader) return
    const { topic } = this.#options
    const { partition } = reader
    try {
      if (!reader.ready || reader.full) return this.#consumer.pause([{ topic, partitions: [partition] }])
      this.#consumer.seek({ topic, partition, offset: String(reader.nextFetch) })
      this.#consumer.resume([{ topic, partitions: [partition] }])
    } catch {
      // kafkajs is starting again; the next join sets it.
    }
  }

  async #begin(readers: readonly PartitionReader[]): Promise<void> {
    await Promise.all(readers.map(({ partition }) => this.#leaving.get(partition) ?? Promise.resolve()))
    const alive = (): readonly PartitionReader[] => readers.filter(reader => !reader.stopped)
    const partitions = (): readonly number[] => alive().map(({ partition }) => partition)
    const gone = this.#stopping.signal
    const begin = async (): Promise<ReadonlyMap<number, number> | undefined> => {
      if (alive().length === 0) return new Map<number, number>()
      await this.#options.onAssigned?.(partitions())
      return persist(() => this.#options.startOffsets(partitions()), gone, patient)
    }
    const onRetry = (error: unknown): void =>
      this.#beginning.failed(error, () => this.#failingWork('cannot begin to read its partitions'))
    const starts = await persist(begin, gone, { ...patient, onRetry })
    this.#beginning.ended()
    for (const reader of alive()) {
      const start = starts?.get(reader.partition)
      // A reader that is alone may have joined twice before it began.
      if (start === undefined || reader.ready) continue
      reader.startAt(start)
      this.#setFetching(reader)
    }
  }
}
