import { createRequire } from 'node:module'
import * as zlib from 'node:zlib'
import { decompress as decompressZstd } from 'fzstd'
import kafkajs from 'kafkajs'

// kafkajs is CommonJS whose exports Node can't all name.
const { CompressionCodecs, CompressionTypes } = kafkajs
const require = createRequire(import.meta.url)
// Neither has types.
const lz4: { decompress(bytes: Uint8Array): Uint8Array } = require('lz4js')
const snappy: { uncompress(bytes: Uint8Array): Uint8Array } = require('snappyjs')

/** The way kafkajs wants a codec: bytes in, bytes out, through promises. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>
  decompress(bytes: Buffer): Promise<Buffer>
}

/**
 * Lets kafkajs read what others compressed with snappy, lz4 and zstd (gzip it knows). We write uncompressed: what we append is
 * small, and JavaScript is slow at compressing.
 */
export function registerCodecs(): void {
  CompressionCodecs[CompressionTypes.Snappy] = () => reader('snappy', readSnappy)
  CompressionCodecs[CompressionTypes.LZ4] = () => reader('lz4', bytes => lz4.decompress(bytes))
  CompressionCodecs[CompressionTypes.ZSTD] = () => reader('zstd', readZstd)
}

function reader(name: string, read: (bytes: Buffer) => Uint8Array): Codec {
  return {
    compress: () => Promise.reject(new Error(`Compressing with ${name} is not supported`)),
    decompress: async bytes => {
      const plain = read(bytes)
      return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength)
    },
  }
}

const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0])
const xerialHeaderBytes = 16

/** Java's clients frame snappy in blocks (https://github.com/xerial/snappy-java), librdkafka's don't. */
function readSnappy(bytes: Buffer): Uint8Array {
  if (!bytes.subarray(0, xerialMagic.length).equals(xerialMagic)) return snappy.uncompress(bytes)
  const blocks: Uint8Array[] = []
  for (let at = xerialHeaderBytes; at < bytes.length;) {
    const length = bytes.readUInt32BE(at)
    blocks.push(snappy.uncompress(bytes.subarray(at + 4, at + 4 + length)))
    at += 4 + length
  }
  return Buffer.concat(blocks)
}

/** Node 22.15 brings zstd along; before, it is done in JavaScript. */
function readZstd(bytes: Buffer): Uint8Array {
  const native: unknown = Reflect.get(zlib, 'zstdDecompressSync')
  if (typeof native !== 'function') return decompressZstd(bytes)
  const plain: unknown = native(bytes)
  if (plain instanceof Uint8Array) return plain
  throw new TypeError('zstd gave no bytes')
}
