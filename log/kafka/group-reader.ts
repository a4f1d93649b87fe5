import { setMaxListeners } from 'node:events'
import { randomUUID } from 'node:crypto'
import type { Consumer as KafkaConsumer, EachBatchPayload } from 'kafkajs'
import { LogUnavailable, type Batch } from '../log.ts'
import { type FailingWork, RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import { retryUntilAborted, retry } from '../../shared/async/retry.ts'
import { pause } from '../../shared/async/waiting.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { metadataMaxAgeMs, retryFor, waitForBrokerMs, type KafkaContext } from './client.ts'
import { batchMessagesOf } from './fetch-response.ts'
import { PartitionCommits } from '../partition-commits.ts'
import { Delivery } from '../delivery.ts'
import { noGroupId } from './no-group.ts'
import { PartitionReader } from './partition-reader.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'

/** Interval of the check whether a reader fetches. */
const fetchCheckMs = 5_000
/** Poll interval of an idle or paused consumer; new records arrive immediately. */
const idleMs = 100
/** Retry policy until the reader is stopped, because the broker's errors may be temporary. */
const patient = { firstDelayMs: 50, maxDelayMs: 5_000 } as const
const heartbeatEveryMs = 1_000
/**
 * Delay before committing offsets without a record, such as markers of transactions, so that several are committed
 * together.
 */
const commitSkippedAfterMs = 500
/** Time limit for leaving the group without a reachable broker; the group then detects it by the session timeout. */
const leaveWithinMs = 3_000

export interface GroupReaderOptions {
  readonly topic: string
  /** Group that distributes the partitions; null to read them without a group. */
  readonly group: string | null
  /** Partitions to read without a group; by default all. */
  readonly partitions?: readonly number[] | undefined
  /** Returns the start offsets of partitions; retried after `onAssigned` until it succeeds. */
  readonly startOffsets: (partitions: readonly number[]) => Promise<ReadonlyMap<number, number>>
  readonly onAssigned?: ((partitions: readonly number[]) => Promise<void>) | undefined
  readonly onRevoked?: ((partitions: readonly number[]) => Promise<void>) | undefined
  readonly acceptsDefects?: boolean | undefined
  readonly isCompacted?: boolean | undefined
  /** Resolves to whether any broker can be reached. */
  readonly isReachable: () => Promise<boolean>
  readonly onBatch: (batch: Batch) => Promise<void> | void
}

/**
 * A member of a group, or a reader of partitions without a group. kafkajs fetches and maintains the membership;
 * this class decides where to read and what to deliver. Fetched records go immediately to the partition's
 * `PartitionReader`, so that kafkajs never waits for a handler and continues to send heartbeats.
 */
export class GroupReader {
  readonly #context: KafkaContext
  readonly #options: GroupReaderOptions
  readonly #readers = new Map<number, PartitionReader>()
  readonly #paused = new Set<number>()
  readonly #commits = new WeakMap<PartitionReader, PartitionCommits>()
  readonly #skipping = new WeakSet<PartitionReader>()
  /** Batches in flight of revoked partitions. */
  readonly #leaving = new Map<number, Promise<void>>()
  readonly #stopping = stoppingController()
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

  /** Resolves when the group has assigned the first partitions to this member (perhaps none). */
  async start(): Promise<void> {
    const joined = new Promise<void>(resolve => (this.#joined = resolve))
    this.#fetchCheck = setInterval(() => crashOnRejection(this.#checkFetches()), fetchCheckMs).unref()
    this.#keepRunning()
    await withTimeout(this.#context.timeoutMs, joined, async () => {
      await this.stop()
      throw new LogUnavailable(`Kafka: ${this.#name} did not start in time`)
    })
  }

  /**
   * Commits an offset; ignores a partition that is no longer assigned. Of concurrent commits, the highest offset is
   * used.
   */
  async commit(partition: number, nextOffset: number): Promise<void> {
    const reader = this.#readers.get(partition)
    if (reader === undefined) return
    const commits = this.#commits.get(reader) ?? new PartitionCommits(offset => this.#commit(reader, offset))
    this.#commits.set(reader, commits)
    await withTimeout(this.#context.timeoutMs, commits.commit(reader.done(nextOffset)), () => {
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
      throw new LogUnavailable('Kafka: offset commit failed', { cause })
    }
  }

  /**
   * Commits offsets without a record, which no handler receives; otherwise they would count as lag until the next
   * record.
   */
  async #commitSkipped(reader: PartitionReader): Promise<void> {
    const { signal } = this.#stopping
    if (this.#options.group === null || this.#skipping.has(reader)) return
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

  /** Returns the reader of a partition; creates it if it is not assigned yet (only without a group). */
  partitionReader(partition: number): PartitionReader {
    return this.#readers.get(partition) ?? this.#createReader(partition)
  }

  /** Leaves the group after the batches in flight, which can still be committed. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#fetchCheck)
    this.#fetching.ended()
    this.#beginning.ended()
    await Promise.all([...this.#readers.values()].map(reader => reader.stop()))
    this.#readers.clear()
    const left = this.#consumer.disconnect().catch(() => undefined)
    await withTimeout(leaveWithinMs, left, () => undefined)
  }

  #create(): KafkaConsumer {
    const { group } = this.#options
    const { reading, sessionTimeoutMs } = this.#context
    const consumer = reading.consumer({
      groupId: group ?? noGroupId(),
      allowAutoTopicCreation: false,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: sessionTimeoutMs,
      heartbeatInterval: Math.min(heartbeatEveryMs, sessionTimeoutMs / 3),
      maxWaitTimeInMs: idleMs,
      maxBytesPerPartition: 2 << 20,
      metadataMaxAge: metadataMaxAgeMs,
      // Repeated here, because kafkajs would override the client's value with its default of 5.
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
      if (!payload.restart) this.#restart(consumer)
    })
    return consumer
  }

  /** Counts the time without a fetch, because kafkajs retries for a minute before it reports an error. */
  async #checkFetches(): Promise<void> {
    if (performance.now() - this.#fetchedMs < fetchCheckMs) return
    // Without a broker the log itself is unavailable, which `GET /health` shows.
    if (!(await this.#options.isReachable())) return this.#fetching.ended()
    this.#fetching.failed(this.#fetchError, () => this.#failingWork('receives no data from the broker'))
  }

  #failingWork(what: string): FailingWork {
    return {
      code: 'consumer_failing',
      message: `${this.#name} ${what}. The log of the process has the error.`,
      topic: this.#options.topic,
    }
  }

  get #name(): string {
    const { topic, group } = this.#options
    return `${group === null ? 'A reader' : `The consumer ${group}`} of ${topic}`
  }

  /** Also restarts kafkajs after a failure that it does not report. */
  #keepRunning(): void {
    const consumer = this.#consumer
    this.#run(consumer).catch(() => this.#restart(consumer))
  }

  async #run(consumer: KafkaConsumer): Promise<void> {
    const { signal } = this.#stopping
    const connect = async (): Promise<void> => {
      await consumer.connect()
      await consumer.subscribe({ topics: [this.#options.topic], fromBeginning: true })
    }
    await retryUntilAborted(connect, signal, patient)
    if (signal.aborted) return
    await consumer.run({ autoCommit: false, eachBatch: async payload => this.#onFetched(payload) })
  }

  /** kafkajs has stopped at an error that it treats as final; a restarted broker may behave differently. */
  #restart(crashed: KafkaConsumer): void {
    const start = async (): Promise<void> => {
      await pause(1_000, this.#stopping.signal)
      if (this.#stopping.signal.aborted || this.#consumer !== crashed) return
      this.#consumer = this.#create()
      await crashed.disconnect().catch(() => undefined)
      this.#keepRunning()
    }
    crashOnRejection(start())
  }

  #onFetched({ batch }: EachBatchPayload): void {
    const reader = this.#readers.get(batch.partition)
    if (reader === undefined) return
    reader.push(batchMessagesOf(batch.messages))
    if (reader.full) this.#setFetching(reader)
    // `#commitSkipped` retries after failures, so it never rejects.
    crashOnRejection(this.#commitSkipped(reader))
  }

  /** Called by kafkajs between two fetches: state set here applies to the next. */
  #onJoin(memberId: string, all: readonly number[]): void {
    if (this.#stopping.signal.aborted) return
    const { topic, partitions } = this.#options
    const assigned = all.filter(partition => partitions?.includes(partition) ?? true)
    const ignored = all.filter(partition => !assigned.includes(partition))
    if (ignored.length > 0) this.#consumer.pause([{ topic, partitions: ignored }])
    // A new member id means that this member was out of the group, and other members may have had the partitions.
    const continued = memberId === this.#memberId || this.#options.group === null
    this.#memberId = memberId
    const lost = [...this.#readers.keys()].filter(partition => !continued || !assigned.includes(partition))
    const begun = this.#drop(lost)
    const gained: PartitionReader[] = []
    for (const partition of assigned) {
      const known = this.#readers.get(partition)
      const reader = known ?? this.#createReader(partition)
      if (!reader.ready && (known === undefined || this.#options.group === null)) gained.push(reader)
      this.#setFetching(reader)
    }
    // `onRevoked` and `#begin` handle failures, so the promise never rejects.
    if (gained.length > 0) crashOnRejection(begun.then(() => this.#begin(gained)))
    this.#joined?.()
  }

  async #drop(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) {
      const reader = this.#readers.get(partition)
      this.#readers.delete(partition)
      this.#paused.delete(partition)
      if (reader !== undefined) this.#leaving.set(partition, reader.stop())
    }
    // The partitions are revoked even if the callback fails.
    if (partitions.length > 0) await this.#options.onRevoked?.(partitions).catch(() => undefined)
  }

  #createReader(partition: number): PartitionReader {
    const { topic, group } = this.#options
    const { problems } = this.#context
    const reader: PartitionReader = new PartitionReader({
      topic,
      partition,
      target: new Delivery({ ...this.#options, partition, group: group ?? undefined, problems }),
      onResumable: () => this.#setFetching(reader),
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
      // kafkajs is restarting; the next join sets it.
    }
  }

  async #begin(readers: readonly PartitionReader[]): Promise<void> {
    await Promise.all(readers.map(({ partition }) => this.#leaving.get(partition) ?? Promise.resolve()))
    const alive = (): readonly PartitionReader[] => readers.filter(reader => !reader.stopped)
    const partitions = (): readonly number[] => alive().map(({ partition }) => partition)
    const stopped = this.#stopping.signal
    const begin = async (): Promise<ReadonlyMap<number, number> | undefined> => {
      if (alive().length === 0) return new Map<number, number>()
      await this.#options.onAssigned?.(partitions())
      return retryUntilAborted(() => this.#options.startOffsets(partitions()), stopped, patient)
    }
    const onRetry = (error: unknown): void =>
      this.#beginning.failed(error, () => this.#failingWork('cannot start reading its partitions'))
    const starts = await retryUntilAborted(begin, stopped, { ...patient, onRetry })
    this.#beginning.ended()
    for (const reader of alive()) {
      const start = starts?.get(reader.partition)
      // A reader without a group may have joined twice before it began.
      if (start === undefined || reader.ready) continue
      reader.startAt(start)
      this.#setFetching(reader)
    }
  }
}

/** Each partition listens to its signal. */
function stoppingController(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}
