import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { decompressLz4 } from './lz4.ts'
import { Malformed, tooLarge } from './malformed.ts'
import { decompressSnappyBlock, snappyLength } from './snappy.ts'
import { checkZstdFrame } from './zstd-frame.ts'

const unzip = promisify(zlib.unzip)

/**
 * Decompresses the records of a batch. No codec allocates or writes more than `maxBytes`, and the work is linear in the bytes read and
 * written. Rejects with `Malformed` if the bytes are damaged or exceed the limit, and with any other error if the process lacks memory.
 *
 * @param codec bits 0 to 2 of a batch's attributes
 */
export async function decompress(codec: number, bytes: Buffer, maxBytes: number): Promise<Buffer> {
  if (codec === 1) return failingAsMalformed(maxBytes, () => unzip(bytes, { maxOutputLength: maxBytes }))
  if (codec === 2) return readSnappy(bytes, maxBytes)
  if (codec === 3) return decompressLz4(bytes, maxBytes)
  if (codec === 4) return readZstd(bytes, maxBytes)
  throw new Malformed(`Compression codec ${codec} is not supported`)
}

const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0])
const xerialHeaderBytes = 16

/** Java's clients frame snappy in blocks (https://github.com/xerial/snappy-java), librdkafka does not. */
async function readSnappy(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const isFramed = bytes.subarray(0, xerialMagic.length).equals(xerialMagic)
  const blocks = isFramed ? [...xerialBlocks(bytes)] : [bytes]
  const length = blocks.reduce((sum, block) => sum + snappyLength(block), 0)
  if (length > maxBytes) throw tooLarge(maxBytes)
  const slice = new TimeSlice()
  const output = Buffer.allocUnsafe(length)
  let at = 0
  for (const block of blocks) {
    at = decompressSnappyBlock(block, output, at)
    if (slice.isOver) await slice.next()
  }
  return output
}

function* xerialBlocks(bytes: Buffer): Generator<Buffer> {
  for (let at = xerialHeaderBytes; at < bytes.length;) {
    const end = at + 4 + (at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0)
    if (end <= at + 4 || end > bytes.length) throw new Malformed('A snappy block is cut off')
    yield bytes.subarray(at + 4, end)
    at = end
  }
}

/** Node 22.15 has zstd; before, the WebAssembly build of the same library is used. */
async function readZstd(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  checkZstdFrame(bytes, maxBytes)
  const native: unknown = Reflect.get(zlib, 'zstdDecompress')
  if (isNativeZstd(native))
    return failingAsMalformed(maxBytes, () => promisify(native)(bytes, { maxOutputLength: maxBytes }))
  const loaded = await loadZstd()
  const plain = await failingAsMalformed(maxBytes, async () => loaded.decompress(bytes, { defaultHeapSize: maxBytes }))
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength)
}

type NativeZstd = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number },
  done: (error: Error | null, plain: Buffer) => void,
) => void

function isNativeZstd(value: unknown): value is NativeZstd {
  return typeof value === 'function'
}

interface ZstdModule {
  init(): Promise<void>
  decompress(bytes: Uint8Array, options: { readonly defaultHeapSize: number }): Uint8Array
}

const require = createRequire(import.meta.url)
/** Key under which the module stores its initialization, because this file may be loaded more than once in a process. */
const initialized = Symbol.for('takt.zstd')

/** Loads the module at its first use: a second initialization would replace its memory. */
async function loadZstd(): Promise<ZstdModule> {
  const loaded: ZstdModule & { [initialized]?: Promise<void> } = require('@bokuweb/zstd-wasm')
  await (loaded[initialized] ??= loaded.init())
  return loaded
}

/** Codes of zlib and of Node's zstd for bytes that are damaged or cut off. */
const dataError = /^(Z_(DATA|BUF|STREAM)_ERROR|Z_NEED_DICT|ZSTD_error_.*)$/
/** Message of the WebAssembly build for any error of zstd. */
const wasmError = /^Failed to compress with code (-\d+)$/
/** `ZSTD_error_dstSize_tooSmall`: https://github.com/facebook/zstd/blob/dev/lib/zstd_errors.h */
const outputTooSmall = '-70'

/**
 * Converts a decoder's errors about damaged bytes to `Malformed`. Other errors may be temporary, such as a lack of
 * memory, and are rethrown.
 */
async function failingAsMalformed<T>(maxBytes: number, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const code = 'code' in error ? String(error.code) : ''
    const [, wasmCode] = wasmError.exec(error.message) ?? []
    if (code === 'ERR_BUFFER_TOO_LARGE' || wasmCode === outputTooSmall) throw tooLarge(maxBytes)
    if (!dataError.test(code) && wasmCode === undefined) throw error
    throw new Malformed(`Decompression failed: ${wasmCode === undefined ? error.message : `zstd error ${wasmCode}`}`)
  }
}
