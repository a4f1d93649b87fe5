import { crc32c } from '../crc32c.ts'
import { decompress } from './decompress.ts'
import { Malformed } from './malformed.ts'

// The format: https://kafka.apache.org/documentation/#recordbatch

/** Limits of one batch; the broker limits its compressed size. */
export const batchLimits = { bytes: 32 << 20, records: 200_000 } as const

/** A batch of records as the broker sent it: compressed and not yet read. */
export interface RawBatch {
  readonly firstOffset: number
  readonly lastOffset: number
  /** Bytes of the records, perhaps compressed. */
  readonly payload: Buffer
  readonly attributes: number
  readonly firstTimestampMs: number
  readonly maxTimestampMs: number
  readonly producerId: bigint
  /** Number of records that the header declares. */
  readonly count: number
  readonly checksum: number
  /** The bytes that the checksum covers. */
  readonly checked: Buffer
  /** Reason why the batch cannot be read; null if its header is valid. */
  readonly damage: string | null
}

/** Records of a batch, decompressed but not yet read. */
export interface OpenBatch {
  readonly batch: RawBatch
  readonly bytes: Buffer
}

const headerBytes = 61
const lengthAt = 8
/** Bytes before those that the length counts. */
const prefixBytes = 12
const magicAt = 16
const supportedMagic = 2

/**
 * Splits the batches of a fetch without reading their records. Omits a truncated last batch, which brokers send. A
 * batch of an unknown format is returned with its `damage`.
 */
export function splitBatches(bytes: Buffer): readonly RawBatch[] {
  const batches: RawBatch[] = []
  for (let at = 0; at + magicAt < bytes.length;) {
    const length = bytes.readInt32BE(at + lengthAt)
    const end = at + prefixBytes + length
    if (end > bytes.length && batches.length > 0) break
    const whole = bytes.subarray(at, length < 0 ? bytes.length : end)
    batches.push(readHeader(whole, end > bytes.length || length < 0))
    if (length < 0) break
    at = end
  }
  return batches
}

function readHeader(bytes: Buffer, isCutOff: boolean): RawBatch {
  const firstOffset = Number(bytes.readBigInt64BE(0))
  const unreadable = (damage: string): RawBatch => ({
    firstOffset,
    lastOffset: firstOffset,
    payload: bytes.subarray(bytes.length),
    attributes: 0,
    firstTimestampMs: 0,
    maxTimestampMs: 0,
    producerId: -1n,
    count: 0,
    checksum: 0,
    checked: bytes.subarray(bytes.length),
    damage,
  })
  const magic = bytes.readInt8(magicAt)
  if (magic !== supportedMagic) return unreadable(`Record format ${magic} is not supported`)
  if (bytes.length < headerBytes) return unreadable('The header of the batch is cut off')
  const lastOffsetDelta = bytes.readInt32BE(23)
  if (lastOffsetDelta < 0) return unreadable('The offsets of the batch are damaged')
  return {
    firstOffset,
    lastOffset: firstOffset + lastOffsetDelta,
    payload: bytes.subarray(headerBytes),
    attributes: bytes.readInt16BE(21),
    firstTimestampMs: Number(bytes.readBigInt64BE(27)),
    maxTimestampMs: Number(bytes.readBigInt64BE(35)),
    producerId: bytes.readBigInt64BE(43),
    count: bytes.readInt32BE(57),
    checksum: bytes.readUInt32BE(17),
    checked: bytes.subarray(21),
    damage: isCutOff ? 'The batch is cut off' : null,
  }
}

export function isTransactional({ attributes }: RawBatch): boolean {
  return (attributes & 0x10) !== 0
}

/** Whether the batch holds a marker of a transaction instead of records. */
export function isControl({ attributes }: RawBatch): boolean {
  return (attributes & 0x20) !== 0
}

/** Whether the broker set the timestamps. */
export function hasLogAppendTime({ attributes }: RawBatch): boolean {
  return (attributes & 0x08) !== 0
}

/** Returns whether the checksum is that of the bytes it covers: all of the batch except its first offset and length. */
export function isIntact({ damage, checked, checksum }: RawBatch): boolean {
  return damage === null && crc32c(checked) === checksum
}

/** Decompresses a batch. Rejects with `Malformed` if it cannot be read or exceeds a limit. */
export async function openBatch(batch: RawBatch): Promise<OpenBatch> {
  if (batch.damage !== null) throw new Malformed(batch.damage)
  if (!isIntact(batch)) throw new Malformed('The checksum of the batch is wrong')
  const codec = batch.attributes & 7
  if (codec === 0) return { batch, bytes: batch.payload }
  return { batch, bytes: await decompress(codec, batch.payload, batchLimits.bytes) }
}
