import type { Producer, RecordMetadata, Transaction } from 'kafkajs'
import {
  Fenced,
  LogUnavailable,
  type InputOffset,
  type Position,
  type Transactor,
  type TransactorScope,
} from '../log.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { inSizedParts } from '../../shared/collections/in-sized-parts.ts'
import { retryFor, type KafkaContext } from './client.ts'
import { isFenced, isFinal, toLogError, untilDone } from './errors.ts'
import { endHangingTransaction, transactionTimeoutMs, untilSeen } from './hanging-transactions.ts'
import { messageBytes, toMessage } from './message.ts'
import type { TopicAdmin } from './topic-admin.ts'

type OutputRecord = Parameters<Transactor['commit']>[0][number]

/** A record and its partition. */
export interface PlacedRecord {
  readonly record: OutputRecord
  readonly partition: number
  /** Whether its topic is compacted. */
  readonly isCompacted: boolean
}

/**
 * Limits of one request: kafkajs groups by partition in quadratic time, and brokers limit the size of requests. Large
 * transactions use several requests.
 */
const requestLimit = { messages: 500, bytes: 8 << 20 } as const

type Place = (records: readonly OutputRecord[]) => Promise<readonly PlacedRecord[]>

export interface TransactorOptions {
  readonly id: string
  readonly scope: TransactorScope
  readonly admin: TopicAdmin
  readonly place: Place
}

/** Becomes the only transactor of the id: when this resolves, older ones are fenced, and readers see their records. */
export async function openTransactor(context: KafkaContext, options: TransactorOptions): Promise<Transactor> {
  const { id, scope, admin } = options
  const producer = context.writing.producer({
    transactionalId: id,
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    transactionTimeout: transactionTimeoutMs,
    // The markers of the previous transaction may be pending for some milliseconds.
    retry: { ...retryFor(context.timeoutMs), initialRetryTime: 10 },
    createPartitioner: () => args => args.message.partition ?? 0,
  })
  try {
    await untilDone(context.timeoutMs, () => endHangingTransaction(context, admin, id, scope))
    await untilDone(context.timeoutMs, async () => {
      await producer.connect()
      // kafkajs takes over the id with the first transaction.
      const first = await producer.transaction()
      await first.abort()
    })
  } catch (error) {
    await producer.disconnect().catch(() => undefined)
    throw toLogError(error, `becoming transactor ${id}`)
  }
  return new KafkaTransactor(context, options, producer)
}

class KafkaTransactor implements Transactor {
  readonly #timeoutMs: number
  readonly #id: string
  readonly #admin: TopicAdmin
  readonly #place: Place
  readonly #producer: Producer
  readonly #serial = createSerial()
  #endReason: string | undefined

  constructor({ timeoutMs }: KafkaContext, { id, admin, place }: TransactorOptions, producer: Producer) {
    this.#timeoutMs = timeoutMs
    this.#id = id
    this.#admin = admin
    this.#place = place
    this.#producer = producer
  }

  commit(records: readonly OutputRecord[], input?: InputOffset): Promise<readonly Position[]> {
    return this.#serial(() => this.#commit(records, input))
  }

  async close(): Promise<void> {
    this.#endReason ??= 'is closed'
    await this.#serial(() => Promise.resolve())
    await this.#producer.disconnect()
  }

  async #commit(records: readonly OutputRecord[], input: InputOffset | undefined): Promise<readonly Position[]> {
    if (this.#endReason !== undefined) throw new Fenced(`Transactor ${this.#id} ${this.#endReason}`)
    const placed = await this.#place(records)
    try {
      const transaction = await this.#producer.transaction()
      return await this.#fill(transaction, placed, input)
    } catch (error) {
      if (!isFenced(error)) throw toLogError(error, `a transaction of ${this.#id}`)
      this.#endReason = 'was taken over by a newer one'
      throw new Fenced(`Transactor ${this.#id} ${this.#endReason}`, { cause: error })
    }
  }

  async #fill(
    transaction: Transaction,
    placed: readonly PlacedRecord[],
    input: InputOffset | undefined,
  ): Promise<readonly Position[]> {
    let positions: readonly Position[]
    try {
      positions = await sendAll(transaction, placed)
      if (input) await this.#sendOffset(transaction, input)
    } catch (error) {
      await this.#abort(transaction, error)
      throw error
    }
    try {
      await transaction.commit()
      await untilSeen(this.#timeoutMs, () => this.#isSeen(placed, positions, input))
      return positions
    } catch (error) {
      // The outcome is unknown, and this producer cannot query it: its owner must open a new one and read the log.
      this.#endReason = 'has a transaction with an unknown outcome'
      throw error
    }
  }

  async #sendOffset(transaction: Transaction, { group, topic, partition, offset }: InputOffset): Promise<void> {
    const topics = [{ topic, partitions: [{ partition, offset: String(offset) }] }]
    await untilDone(this.#timeoutMs, () => transaction.sendOffsets({ consumerGroupId: group, topics }))
  }

  /**
   * Returns whether readers see the records and the offset. Until the markers of a completed transaction are written,
   * its records can still be lost.
   */
  async #isSeen(
    placed: readonly PlacedRecord[],
    positions: readonly Position[],
    input: InputOffset | undefined,
  ): Promise<boolean> {
    const topics = [...new Set(placed.map(({ record }) => record.topic))]
    const [committed, ...ranges] = await Promise.all([
      input ? this.#admin.committed(input.group, input.topic) : [],
      ...topics.map(topic => this.#admin.ranges(topic, 'soon')),
    ])
    if (input && (committed[input.partition] ?? 0) < input.offset) return false
    return positions.every(({ partition, offset }, index) => {
      const range = ranges[topics.indexOf(placed[index]?.record.topic ?? '')]
      return (range?.[partition]?.high ?? 0) > offset
    })
  }

  async #abort(transaction: Transaction, reason: unknown): Promise<void> {
    // After other errors, records may remain that the next transaction must not commit.
    if (!isFinal(reason)) this.#endReason = 'has failed'
    try {
      await transaction.abort()
    } catch {
      this.#endReason = 'failed to abort a transaction'
    }
  }
}

async function sendAll(transaction: Transaction, placed: readonly PlacedRecord[]): Promise<readonly Position[]> {
  const positions: Position[] = []
  const limits = { length: requestLimit.messages, size: requestLimit.bytes, sizeOf: bytesOf }
  for (const request of inSizedParts(placed, limits)) {
    const topics = [...new Set(request.map(({ record }) => record.topic))]
    const topicMessages = topics.map(topic => ({
      topic,
      messages: request
        .filter(({ record }) => record.topic === topic)
        .map(({ record, partition, isCompacted }) => toMessage(record, partition, isCompacted)),
    }))
    positions.push(...positionsOf(request, await transaction.sendBatch({ topicMessages, acks: -1 })))
  }
  return positions
}

function bytesOf({ record }: PlacedRecord): number {
  return messageBytes(record)
}

function positionsOf(placed: readonly PlacedRecord[], responses: readonly RecordMetadata[]): readonly Position[] {
  const next = new Map(responses.map(each => [`${each.topicName}/${each.partition}`, Number(each.baseOffset)]))
  return placed.map(({ record: { topic }, partition }) => {
    const key = `${topic}/${partition}`
    const offset = next.get(key)
    if (offset === undefined) throw new LogUnavailable(`No response for partition ${partition} of ${topic}`)
    next.set(key, offset + 1)
    return { partition, offset }
  })
}
