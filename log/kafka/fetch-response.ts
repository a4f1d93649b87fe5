import { createRequire } from 'node:module'
import { isControl, isIntact, isTransactional, type RawBatch, splitBatches } from './record-batch.ts'
import { VarintReader } from './varint-reader.ts'

const require = createRequire(import.meta.url)

/** The part of a fetch response that kafkajs uses. `messages` are the batches of `decodeMessages`. */
interface FetchedPartition {
  readonly highWatermark: string
  abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[]
  messages: readonly BatchMessage[]
}
interface FetchResponse {
  readonly responses: readonly { readonly partitions: readonly FetchedPartition[] }[]
}
interface ResponseModule {
  decode: (bytes: Buffer) => Promise<FetchResponse>
}
interface KafkajsDecoder {
  readInt32(): number
  canReadBytes(length: number): boolean
  readBytes(length: number): Buffer
}

/** A batch in place of kafkajs's message: kafkajs itself reads only the offset. */
export interface BatchMessage {
  /** Last offset of the batch: kafkajs drops messages before the requested offset, and continues after the last one. */
  readonly offset: string
  readonly rawBatch: RawBatch
  /** Whether readers skip the batch: it is a marker, or its transaction was aborted. */
  isSkipped: boolean
}

/** Returns the batches that kafkajs passes on as its messages. */
export function batchMessagesOf(messages: readonly object[]): readonly BatchMessage[] {
  return messages.filter(isBatchMessage)
}

function isBatchMessage(message: object): message is BatchMessage {
  return 'rawBatch' in message
}

const folder = 'kafkajs/src/protocol/requests/fetch'
const decodeMessagesPath = `${folder}/v4/decodeMessages`

/**
 * Patches kafkajs to pass on the batches of a fetch unchanged, instead of decompressing all of them and copying their
 * headers in quadratic time. `PartitionReader` reads them later, within limits. The fetch versions from 4 on, which
 * every broker since 0.11 has, share one module for this; it is replaced before kafkajs loads it at the next fetch.
 */
export function patchFetchResponses(): void {
  for (const version of [4, 5, 6, 7, 8, 9, 10, 11])
    delete require.cache[require.resolve(`${folder}/v${version}/response`)]
  const path = require.resolve(decodeMessagesPath)
  require(path)
  const loaded = require.cache[path]
  if (!loaded) throw new Error(`kafkajs has no ${decodeMessagesPath}`)
  loaded.exports = decodeMessages
  // Versions 6, 9 and 10 use the function of the version before them.
  for (const version of [4, 5, 7, 8, 11]) {
    const response: ResponseModule = require(`${folder}/v${version}/response`)
    const { decode } = response
    response.decode = async bytes => readableBatches(await decode(bytes))
  }
}

async function decodeMessages(decoder: KafkajsDecoder): Promise<readonly BatchMessage[]> {
  const length = decoder.readInt32()
  if (length <= 0 || !decoder.canReadBytes(length)) return []
  return splitBatches(decoder.readBytes(length)).map(rawBatch => ({
    offset: String(rawBatch.lastOffset),
    rawBatch,
    isSkipped: false,
  }))
}

/** Bounds the offsets of damaged batches, and marks those that readers of committed records must skip, so that kafkajs has nothing to filter. */
function readableBatches(response: FetchResponse): FetchResponse {
  for (const partition of response.responses.flatMap(({ partitions }) => partitions)) {
    partition.messages = boundDamagedOffsets(partition.messages, Number(partition.highWatermark))
    markSkipped(partition)
    partition.abortedTransactions = []
  }
  return response
}

/**
 * Bounds the last offset of each damaged batch, because a damaged one would skip the sound batches behind it. A last batch of several is
 * omitted, because its end is unknown: the next fetch begins with it.
 *
 * @param highWatermark next offset of the partition
 */
export function boundDamagedOffsets(messages: readonly BatchMessage[], highWatermark: number): readonly BatchMessage[] {
  return messages.flatMap((message, index) => {
    const { rawBatch } = message
    const nextOffset = messages[index + 1]?.rawBatch.firstOffset ?? null
    const expected = (nextOffset ?? rawBatch.firstOffset + rawBatch.count) - 1
    // Compaction leaves gaps between intact batches, too.
    if (rawBatch.lastOffset === expected || isIntact(rawBatch)) return message
    if (nextOffset === null && index > 0) return []
    const bound = nextOffset === null ? Math.min(rawBatch.lastOffset, highWatermark - 1) : expected
    const lastOffset = Math.max(rawBatch.firstOffset, bound)
    return { ...message, offset: String(lastOffset), rawBatch: { ...rawBatch, lastOffset } }
  })
}

/** As in the Java client: https://kafka.apache.org/documentation/#impl_messages, "aborted transactions". */
function markSkipped({ messages, abortedTransactions }: FetchedPartition): void {
  const starting = abortedTransactions
    .map(({ producerId, firstOffset }) => ({ producerId: BigInt(producerId), firstOffset: Number(firstOffset) }))
    .toSorted((left, right) => left.firstOffset - right.firstOffset)
  const aborting = new Set<bigint>()
  for (const message of messages) {
    const { rawBatch } = message
    for (let [next] = starting; next && next.firstOffset <= rawBatch.lastOffset; [next] = starting) {
      aborting.add(next.producerId)
      starting.shift()
    }
    const { producerId } = rawBatch
    const isAborted = isTransactional(rawBatch) && aborting.has(producerId)
    // A damaged batch is not skipped: its attributes may be damaged.
    message.isSkipped = (isControl(rawBatch) || isAborted) && isIntact(rawBatch)
    if (message.isSkipped && isControl(rawBatch) && isAbortMarker(rawBatch)) aborting.delete(producerId)
  }
}

const abortType = 0

/** The key of a marker's record is its version and its type, two bytes each. */
function isAbortMarker({ payload }: RawBatch): boolean {
  try {
    const reader = new VarintReader(payload)
    const end = reader.lengthPrefixedEnd(payload.length)
    // Skips the attributes and the deltas of timestamp and offset.
    reader.at++
    reader.signed(end)
    reader.signed(end)
    const key = reader.bytes(end)
    return key !== null && key.length >= 4 && key.readInt16BE(2) === abortType
  } catch {
    return false
  }
}
