import { createRequire } from 'node:module'
import { retry } from '../../shared/async/retry.ts'
import { patchFetchResponses } from './fetch-response.ts'
import { patchNoGroup } from './no-group.ts'

// Corrects faults of kafkajs 2.2.4 at runtime, which is unmaintained and offers no other way.
const require = createRequire(import.meta.url)

interface RequestQueue {
  readonly pending: readonly unknown[]
}
interface Broker {
  isConnected(): boolean
  connect(): Promise<void>
}
interface BrokerPool {
  readonly metadata: {
    readonly topicMetadata: readonly { readonly topic: string; readonly partitionMetadata: readonly unknown[] }[]
  } | null
  refreshMetadata(topics: readonly string[]): Promise<void>
}
interface Runner {
  readonly running: boolean
  readonly consumerGroup: { commitOffsets(offsets: unknown): Promise<void> }
}
type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Result

const endRepeats = 12
let applied = false

/** Applies the patches; further calls do nothing. */
export function patchKafkajs(): void {
  if (applied) return
  applied = true
  patchIdleTimer()
  patchEndOfTransaction()
  patchCommits()
  patchEmptyTopics()
  patchFetchResponses()
  patchNoGroup()
}

/** An idle connection repeatedly sets a timer of 1 ms, although it needs one only while requests wait. */
function patchIdleTimer(): void {
  const queue: {
    prototype: { scheduleCheckPendingRequests: Method<RequestQueue, [], void> }
  } = require('kafkajs/src/network/requestQueue')
  const original = queue.prototype.scheduleCheckPendingRequests
  queue.prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) original.call(this)
  }
}

/**
 * kafkajs does not retry the end of a transaction, and after a failure the producer is unusable. A retry is safe: the
 * coordinator knows the producer's epoch and returns the result of the first request.
 */
function patchEndOfTransaction(): void {
  const broker: { prototype: { endTxn: Method<Broker, [unknown], Promise<unknown>> } } = require('kafkajs/src/broker')
  const original = broker.prototype.endTxn
  broker.prototype.endTxn = async function (request) {
    const end = async (): Promise<unknown> => {
      if (!this.isConnected()) await this.connect()
      return original.call(this, request)
    }
    return retry(end, {
      firstDelayMs: 10,
      maxDelayMs: 1_000,
      maxRepeats: endRepeats,
      isFinal: error => !isRetriable(error),
    })
  }
}

/**
 * Between a failure and the next start, a consumer of kafkajs skips a commit and resolves. With this patch, the commit
 * is sent to the broker or fails; `GroupReader` repeats it.
 */
function patchCommits(): void {
  const runner: {
    prototype: { commitOffsets: Method<Runner, [unknown], Promise<void>> }
  } = require('kafkajs/src/consumer/runner')
  runner.prototype.commitOffsets = async function (offsets) {
    if (!this.running) throw new Error('The consumer is restarting')
    await this.consumerGroup.commitOffsets(offsets)
  }
}

/**
 * A broker may report a new topic without partitions. kafkajs caches that for five minutes, in which it cannot read
 * offsets. With this patch, it repeats the metadata request for such a topic.
 */
function patchEmptyTopics(): void {
  const pool: {
    prototype: { refreshMetadataIfNecessary: Method<BrokerPool, [readonly string[]], Promise<void>> }
  } = require('kafkajs/src/cluster/brokerPool')
  const original = pool.prototype.refreshMetadataIfNecessary
  pool.prototype.refreshMetadataIfNecessary = async function (topics) {
    const isEmpty = this.metadata?.topicMetadata.some(
      ({ topic, partitionMetadata }) => partitionMetadata.length === 0 && topics.includes(topic),
    )
    return isEmpty === true ? this.refreshMetadata(topics) : original.call(this, topics)
  }
}

function isRetriable(error: unknown): boolean {
  return error instanceof Error && 'retriable' in error && error.retriable === true
}
