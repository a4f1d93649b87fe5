import type { Message, Producer } from 'kafkajs'
import { LogUnavailable, type NewRecord, type Position } from '../log.ts'
import { retry } from '../../shared/async/retry.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { retryFor, type KafkaContext } from './client.ts'
import { isFinal, toLogError } from './errors.ts'
import { messageBytes, toMessage } from './message.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'

/**
 * Limits of one request to a partition: below the broker's default limit of a batch (1 MiB), and few enough records for
 * kafkajs, whose grouping by partition is quadratic. A larger record is sent separately.
 */
const partitionLimit = { records: 1_000, bytes: 900_000 } as const
const requestLimitBytes = 8 << 20

interface Append {
  readonly positions: Position[]
  missing: number
  failed: boolean
  readonly resolve: (positions: readonly Position[]) => void
  readonly reject: (error: unknown) => void
}

interface Entry {
  readonly append: Append
  readonly index: number
  readonly partition: number
  readonly record: NewRecord
}

/**
 * Appends to one topic with one request at a time; records that arrive meanwhile are part of the next request.
 * Concurrent requests would be unsafe: when a request of an idempotent producer fails, kafkajs reuses its sequence
 * numbers for the next one. For the same reason, a producer is replaced after a failed request.
 */
export class BatchingProducer {
  readonly #topic: string
  readonly #context: KafkaContext
  readonly #isCompacted: boolean
  #waiting: Entry[] = []
  #producer: Sender | undefined
  #busy = false
  #running: Promise<void> = Promise.resolve()
  #closed = false

  constructor(topic: string, context: KafkaContext, isCompacted: boolean) {
    this.#topic = topic
    this.#context = context
    this.#isCompacted = isCompacted
  }

  /** Resolves when all in-sync brokers have the records; `partitions` contains the partition of each record. */
  append(records: readonly NewRecord[], partitions: readonly number[]): Promise<readonly Position[]> {
    if (this.#closed) return Promise.reject(new LogUnavailable('The log is closed'))
    return new Promise((resolve, reject) => {
      const append: Append = { positions: [], missing: records.length, failed: false, resolve, reject }
      for (const [index, record] of records.entries()) {
        this.#waiting.push({ append, index, partition: partitions[index] ?? 0, record })
      }
      if (!this.#busy) this.#running = this.#run()
    })
  }

  /** Rejects new records; resolves when all pending ones are done. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running
    await this.#producer?.close()
  }

  async #run(): Promise<void> {
    this.#busy = true
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#send(this.#next())
    this.#busy = false
  }

  /** Removes the waiting entries that fit into a request, at least one. */
  #next(): readonly Entry[] {
    const sizes = new Map<number, { records: number; bytes: number }>()
    let total = 0
    let count = 0
    for (const { partition, record } of this.#waiting) {
      const size = sizes.get(partition) ?? { records: 0, bytes: 0 }
      const bytes = messageBytes(record)
      const full = size.records >= partitionLimit.records || size.bytes + bytes > partitionLimit.bytes
      if (count > 0 && ((full && size.records > 0) || total + bytes > requestLimitBytes)) break
      sizes.set(partition, { records: size.records + 1, bytes: size.bytes + bytes })
      total += bytes
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #send(entries: readonly Entry[]): Promise<void> {
    const live = entries.filter(({ append }) => !append.failed)
    if (live.length === 0) return
    try {
      this.#producer ??= new Sender(this.#context)
      const messages = live.map(({ record, partition }) => toMessage(record, partition, this.#isCompacted))
      const firstOffsets = await this.#producer.send(this.#topic, messages)
      resolveAppends(live, firstOffsets)
    } catch (error) {
      if (this.#producer) crashOnRejection(this.#producer.abandon())
      this.#producer = undefined
      rejectAppends(live, toLogError(error, `appending to ${this.#topic}`))
    }
  }
}

function resolveAppends(entries: readonly Entry[], firstOffsets: ReadonlyMap<number, number>): void {
  const next = new Map(firstOffsets)
  for (const { append, index, partition } of entries) {
    const offset = next.get(partition)
    if (offset === undefined) throw new Error(`No response for partition ${partition}`)
    next.set(partition, offset + 1)
    append.positions[index] = { partition, offset }
    append.missing--
  }
  for (const { append } of entries) if (append.missing === 0) append.resolve(append.positions)
}

function rejectAppends(entries: readonly Entry[], error: Error): void {
  for (const { append } of entries) {
    append.failed = true
    append.reject(error)
  }
}

/** Ends kafkajs's own retries, which look up the partition leader each time. */
class Abandoned extends Error {
  readonly retriable = false
}

/**
 * A partition that was added since kafkajs loaded its metadata. kafkajs would drop the records for it; on an error of
 * this name it reloads the metadata and retries.
 */
class UnknownPartition extends Error {
  override readonly name = 'KafkaJSMetadataNotLoaded'
  readonly retriable = true
}

/** An idempotent producer with a deadline. */
class Sender {
  readonly #producer: Producer
  readonly #timeoutMs: number
  #connected: Promise<void> | undefined
  #abandoned = false

  constructor({ writing, timeoutMs }: KafkaContext) {
    this.#timeoutMs = timeoutMs
    this.#producer = writing.producer({
      idempotent: true,
      allowAutoTopicCreation: false,
      maxInFlightRequests: 1,
      retry: retryFor(timeoutMs),
      createPartitioner: () => args => {
        if (this.#abandoned) throw new Abandoned('The append was cancelled')
        const { partition = 0 } = args.message
        if (partition >= args.partitionMetadata.length) throw new UnknownPartition(`Unknown partition ${partition}`)
        return partition
      },
    })
  }

  /**
   * Returns the base offsets by partition. Rejects after the deadline, and immediately for errors that a retry cannot solve.
   */
  async send(topic: string, messages: Message[]): Promise<ReadonlyMap<number, number>> {
    const request = this.#connect().then(() => this.#producer.send({ topic, messages, acks: -1 }))
    const sent = await withTimeout(this.#timeoutMs, request, () => {
      throw new LogUnavailable(`Kafka did not respond within ${this.#timeoutMs} ms`)
    })
    return new Map(sent.map(({ partition, baseOffset }) => [partition, Number(baseOffset)]))
  }

  /** Must not be used any more; requests in flight may still arrive. */
  async abandon(): Promise<void> {
    this.#abandoned = true
    await this.#producer.disconnect().catch(() => undefined)
  }

  async close(): Promise<void> {
    await this.#producer.disconnect()
  }

  #connect(): Promise<void> {
    this.#connected ??= retry(() => this.#producer.connect(), {
      firstDelayMs: 50,
      maxDelayMs: 500,
      withinMs: this.#timeoutMs,
      isFinal: error => this.#abandoned || isFinal(error),
    })
    return this.#connected
  }
}
