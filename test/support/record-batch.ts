import * as zlib from 'node:zlib'
import { createRequire } from 'node:module'
import { crc32c } from '../../log/crc32c.ts'
import { decompress } from '../../log/kafka/decompress.ts'

/** Node's own zstd, from version 22.15 on. */
const nativeZstd: unknown = Reflect.get(zlib, 'zstdCompressSync')
// Before, the instance that the reader uses: it can be initialized only once.
const zstd: { compress(bytes: Uint8Array): Uint8Array } = createRequire(import.meta.url)('@bokuweb/zstd-wasm')

/** Makes `compressWith('zstd', ...)` available: a `before` hook awaits it. */
export async function initializeZstd(): Promise<void> {
  await decompress(4, zstdOf(Buffer.from('x')), 1)
}

function isCompressor(value: unknown): value is (bytes: Buffer) => Buffer {
  return typeof value === 'function'
}

function zstdCompressed(plain: Buffer): Buffer {
  return isCompressor(nativeZstd) ? nativeZstd(plain) : Buffer.from(zstd.compress(plain))
}

/** A record that a producer can write. */
export interface RawRecord {
  readonly key?: Buffer | null
  readonly value?: Buffer | null
  /** In order; names may repeat. */
  readonly headers?: readonly (readonly [name: string | Buffer, value: Buffer | null])[]
}

export const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const
export type Codec = (typeof codecs)[number]

export interface BatchOptions {
  readonly codec?: Codec
  readonly firstOffset?: number
  /** Bits in addition to the codec: 0x08 time of the broker, 0x10 transactional, 0x20 control. */
  readonly attributes?: number
  readonly producerId?: bigint
  readonly timestampMs?: number
  /** Bytes of the records, instead of those of `records`. */
  readonly payload?: Buffer
  /** Numbers instead of those that match the records. */
  readonly count?: number
  readonly lastOffsetDelta?: number
  readonly checksum?: number
}

/** A batch as producers send it and brokers store it (magic 2). */
export function recordBatch(records: readonly RawRecord[], options: BatchOptions = {}): Buffer {
  const { codec = 'none', firstOffset = 0, attributes = 0, producerId = -1n, timestampMs = Date.now() } = options
  const payload = options.payload ?? compressWith(codec, recordBytes(records))
  const header = Buffer.alloc(61)
  header.writeBigInt64BE(BigInt(firstOffset), 0)
  header.writeInt32BE(header.length - 12 + payload.length, 8)
  header.writeInt8(2, 16)
  header.writeInt16BE(attributes | codecs.indexOf(codec), 21)
  header.writeInt32BE(options.lastOffsetDelta ?? Math.max(0, records.length - 1), 23)
  header.writeBigInt64BE(BigInt(timestampMs), 27)
  header.writeBigInt64BE(BigInt(timestampMs), 35)
  header.writeBigInt64BE(producerId, 43)
  header.writeInt16BE(producerId < 0n ? -1 : 0, 51)
  header.writeInt32BE(-1, 53)
  header.writeInt32BE(options.count ?? records.length, 57)
  const batch = Buffer.concat([header, payload])
  batch.writeUInt32BE(options.checksum ?? crc32c(batch.subarray(21)), 17)
  return batch
}

/** A marker that ends a transaction. */
export function markerBatch(type: 'abort' | 'commit', options: BatchOptions): Buffer {
  const key = Buffer.from([0, 0, 0, type === 'abort' ? 0 : 1])
  return recordBatch([{ key, value: Buffer.alloc(6) }], { ...options, attributes: 0x30 })
}

export function recordBytes(records: readonly RawRecord[]): Buffer {
  return Buffer.concat(
    records.map(({ key = null, value = null, headers = [] }, index) => {
      const body = Buffer.concat([
        Buffer.from([0]),
        varint(0),
        varint(index),
        lengthPrefixed(key),
        lengthPrefixed(value),
        varint(headers.length),
        ...headers.flatMap(([name, each]) => [lengthPrefixed(bytesOf(name)), lengthPrefixed(each)]),
      ])
      return Buffer.concat([varint(body.length), body])
    }),
  )
}

function bytesOf(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : text
}

function lengthPrefixed(bytes: Buffer | null): Buffer {
  return bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes])
}

/** Zigzag and seven bits a byte. */
export function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value < 0 ? -2 * value - 1 : 2 * value
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80)
    left = Math.floor(left / 0x80)
  }
  return Buffer.from([...bytes, left])
}

export function compressWith(codec: Codec, plain: Buffer): Buffer {
  switch (codec) {
    case 'none':
      return plain
    case 'gzip':
      return zlib.gzipSync(plain)
    case 'snappy':
      return snappyOf(plain)
    case 'lz4':
      return lz4Of(plain)
    case 'zstd':
      return plain.length > zstdBytes ? zstdOf(plain) : zstdCompressed(plain)
  }
}

const page = 4096

/** Runs of one byte: the only input that these two short encoders compress. */
function* runsOf(plain: Buffer): Generator<readonly [start: number, length: number]> {
  for (let start = 0; start < plain.length;) {
    let end = start + 1
    // A single run, as in bombs, is compared in steps of a page.
    while (end + page <= plain.length && plain.compare(plain, end - 1, end - 1 + page, end, end + page) === 0)
      end += page
    while (end < plain.length && plain[end] === plain[start]) end++
    yield [start, end - start]
    start = end
  }
}

/** One snappy block without a frame, as librdkafka writes blocks. */
function snappyOf(plain: Buffer): Buffer {
  const parts: Buffer[] = [unsignedVarint(plain.length)]
  for (const [start, length] of runsOf(plain)) {
    parts.push(Buffer.from([0]), plain.subarray(start, start + 1))
    const copies = Math.floor((length - 1) / 64)
    // Copies of 64 bytes from one byte before, then of the remaining bytes.
    if (copies > 0) parts.push(Buffer.alloc(copies * 3, Buffer.from([(63 << 2) | 2, 1, 0])))
    const left = (length - 1) % 64
    if (left > 0) parts.push(Buffer.from([((left - 1) << 2) | 2, 1, 0]))
  }
  return Buffer.concat(parts)
}

/** The WebAssembly build has too little memory to compress more. */
const zstdBytes = 1 << 20
const zstdBlockBytes = 128 << 10

/** A zstd frame with blocks of one repeated byte, or of plain bytes. */
function zstdOf(plain: Buffer): Buffer {
  // A window of 1 MiB, no size of the content.
  const parts: Buffer[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3])]
  for (let at = 0; at < plain.length; at += zstdBlockBytes) {
    const block = plain.subarray(at, at + zstdBlockBytes)
    const isRun = block.subarray(1).equals(block.subarray(0, -1))
    const isLast = at + zstdBlockBytes >= plain.length
    const header = Buffer.alloc(3)
    header.writeUIntLE(block.length * 8 + (isRun ? 2 : 0) + (isLast ? 1 : 0), 0, 3)
    parts.push(header, isRun ? block.subarray(0, 1) : block)
  }
  return Buffer.concat(parts)
}

function unsignedVarint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80)
  return Buffer.from([...bytes, left])
}

const lz4BlockBytes = 4 << 20

/** One LZ4 frame with blocks of up to 4 MiB. */
function lz4Of(plain: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73])]
  for (let start = 0; start < plain.length; start += lz4BlockBytes) {
    const block = lz4Block(plain.subarray(start, start + lz4BlockBytes))
    const size = Buffer.alloc(4)
    size.writeUInt32LE(block.length)
    parts.push(size, block)
  }
  return Buffer.concat([...parts, Buffer.alloc(4)])
}

function lz4Block(plain: Buffer): Buffer {
  const parts: Buffer[] = []
  let literalsFrom = 0
  for (const [start, length] of runsOf(plain)) {
    // The last five bytes are literals, and a match is at least four bytes long.
    const matched = Math.min(length - 1, plain.length - 5 - start - 1)
    if (matched < 4) continue
    const literals = plain.subarray(literalsFrom, start + 1)
    parts.push(lz4Sequence(literals, matched))
    literalsFrom = start + 1 + matched
  }
  return Buffer.concat([...parts, lz4Sequence(plain.subarray(literalsFrom), null)])
}

function lz4Sequence(literals: Buffer, matched: number | null): Buffer {
  const [literalNibble, literalBytes] = lz4Length(literals.length)
  const [matchNibble, matchBytes] = lz4Length(matched === null ? 0 : matched - 4)
  const distance = matched === null ? [] : [1, 0]
  const token = (literalNibble << 4) | matchNibble
  return Buffer.concat([Buffer.from([token]), literalBytes, literals, Buffer.from(distance), matchBytes])
}

function lz4Length(length: number): readonly [nibble: number, bytes: Buffer] {
  if (length < 15) return [length, Buffer.alloc(0)]
  const left = length - 15
  return [15, Buffer.from([...Array.from({ length: Math.floor(left / 255) }, () => 255), left % 255])]
}
