import type { Message, Producer, RecordMetadata } from 'kafkajs'
import { LogUnavailable, type NewRecord, type Position } from '../log.ts'
import { retry } from '../../shared/async/retry.ts'
import { waitAtMost } from '../../shared/async/wait-at-most.ts'
import { retryFor, type KafkaContext } from './client.ts'
import { isFinal, mapped } from './errors.ts'
import { messageBytes, toMessage } from './message.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'

/**
 * Limits of one request to a partition: below the broker's default limit of a batch (1 MiB), and few enough records for
 * kafkajs, whose grouping by partition is quadratic. A larger record goes alone.
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
 * Appends to one topic, one request at a time, what waits meanwhile joins the next. That no two requests are under way matters:
 * kafkajs takes an idempotent producer's sequence numbers back when a request fails, and gives them to whatever is sent next. For
 * the same reason a producer that has given up is never used again.
 */
export class BatchingProducer {
  readonly #topic: string
  readonly #context: KafkaContext
  #waiting: Entry[] = []
  #producer: Sender | undefined
  #busy = false
  #running: Promise<void> = Promise.resolve()
  #closed = false

  constructor(topic: string, context: KafkaContext) {
    this.#topic = topic
    this.#context = context
  }

  /** Resolves when all brokers in sync have the records; `partitions` says where each goes. */
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

  /** Takes nothing more; resolves when everything given has been answered. */
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

  /** The longest run of waiting entries that fits into a request, at least one. */
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
      const messages = live.map(({ record, partition }) => toMessage(record, partition))
      const firstOffsets = await this.#producer.send(this.#topic, messages)
      answer(live, firstOffsets)
    } catch (error) {
      if (this.#producer) neverRejects(this.#producer.abandon())
      this.#producer = undefined
      fail(live, mapped(error, `appending to ${this.#topic}`))
    }
  }
}

function answer(entries: readonly Entry[], firstOffsets: ReadonlyMap<number, number>): void {
  const next = new Map(firstOffsets)
  for (const { append, index, partition } of entries) {
    const offset = next.get(partition)
    if (offset === undefined) throw new Error(`No broker answered for partition ${partition}`)
    next.set(partition, offset + 1)
    append.positions[index] = { partition, offset }
    append.missing--
  }
  for (const { append } of entries) if (append.missing === 0) append.resolve(append.positions)
}

function fail(entries: readonly Entry[], error: Error): void {
  for (const { append } of entries) {
    append.failed = true
    append.reject(error)
  }
}

/** The base offsets of an answer, by partition. */
export function baseOffsets(answers: readonly RecordMetadata[]): ReadonlyMap<number, number> {
  return new Map(answers.map(({ partition, baseOffset }) => [partition, Number(baseOffset)]))
}

/** Ends kafkajs's own retries: it asks on every one where the messages go. */
class Abandoned extends Error {
  readonly retriable = false
}

/**
 * A partition that was added since kafkajs loaded its metadata. kafkajs would drop the records for it; on an error of this name it loads the
 * metadata again and retries.
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
        if (this.#abandoned) throw new Abandoned('The append was given up')
        const { partition = 0 } = args.message
        if (partition >= args.partitionMetadata.length) throw new UnknownPartition(`Unknown partition ${partition}`)
        return partition
      },
    })
  }

  /** Rejects when the deadline has passed, or at once for what no retry helps. */
  async send(topic: string, messages: Message[]): Promise<ReadonlyMap<number, number>> {
    const given = this.#connect().then(() => this.#producer.send({ topic, messages, acks: -1 }))
    const sent = await waitAtMost(this.#timeoutMs, given, () => {
      throw new LogUnavailable(`Kafka did not answer within ${this.#timeoutMs} ms`)
    })
    return baseOffsets(sent)
  }

  /** Must not be used any more; what it has under way may still arrive. */
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
