import { TimeSlice } from '../../shared/async/time-slice.ts'
import { copyBytes, copyWithin } from './copy-bytes.ts'
import { Malformed, tooLarge } from './malformed.ts'

// The formats: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md and lz4_Block_format.md

const cutOff = 'An LZ4 frame is cut off'
const magic = 0x184d2204
const firstOutputBytes = 65_536

/** Decompresses one frame. Rejects with `Malformed` if the frame is damaged or contains more than `maxBytes`. */
export async function decompressLz4(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const { blocksAt, maxBlockBytes, hasBlockChecksums } = readFrameHeader(bytes)
  const slice = new TimeSlice()
  let output: Buffer = Buffer.allocUnsafe(Math.min(firstOutputBytes, maxBytes))
  let to = 0
  for (let at = blocksAt; ;) {
    if (at + 4 > bytes.length) throw new Malformed(cutOff)
    const word = bytes.readUInt32LE(at)
    if (word === 0) return output.subarray(0, to)
    const size = word & 0x7fffffff
    const block = bytes.subarray(at + 4, at + 4 + size)
    if (block.length < size || size > maxBlockBytes) throw new Malformed(cutOff)
    output = ensureCapacity(output, to, Math.min(to + maxBlockBytes, maxBytes), maxBytes)
    const isPlain = word > 0x7fffffff
    to = isPlain
      ? copyPlain(block, output, to, maxBytes)
      : decompressBlock(block, output, to, { maxBlockBytes, maxBytes })
    at += 4 + size + (hasBlockChecksums ? 4 : 0)
    if (slice.isOver) await slice.next()
  }
}

function readFrameHeader(bytes: Buffer) {
  if (bytes.length < 7 || bytes.readUInt32LE(0) !== magic) throw new Malformed('Not an LZ4 frame')
  const flags = bytes.readUInt8(4)
  const blockSize = (bytes.readUInt8(5) >> 4) & 7
  if (flags >> 6 !== 1 || blockSize < 4) throw new Malformed('The version of the LZ4 frame is not supported')
  const hasContentSize = (flags & 8) !== 0
  const hasDictionary = (flags & 1) !== 0
  return {
    blocksAt: 7 + (hasContentSize ? 8 : 0) + (hasDictionary ? 4 : 0),
    maxBlockBytes: 2 ** (8 + 2 * blockSize),
    hasBlockChecksums: (flags & 16) !== 0,
  }
}

/** Returns a buffer of at least `length` bytes with the first `used` of `output`. Its size doubles, so that all copies together are linear. */
function ensureCapacity(output: Buffer, used: number, length: number, maxBytes: number): Buffer {
  if (length <= output.length) return output
  const grown = Buffer.allocUnsafe(Math.min(Math.max(length, output.length * 2), maxBytes))
  output.copy(grown, 0, 0, used)
  return grown
}

function copyPlain(block: Buffer, output: Buffer, to: number, maxBytes: number): number {
  if (to + block.length > maxBytes) throw tooLarge(maxBytes)
  output.set(block, to)
  return to + block.length
}

interface BlockLimits {
  readonly maxBlockBytes: number
  readonly maxBytes: number
}

/** Decompresses a block to `output` from `start` on; it may refer to earlier blocks. */
function decompressBlock(
  block: Buffer,
  output: Buffer,
  start: number,
  { maxBlockBytes, maxBytes }: BlockLimits,
): number {
  const end = Math.min(start + maxBlockBytes, maxBytes)
  const beyond = () => (end === maxBytes ? tooLarge(maxBytes) : new Malformed('An LZ4 block exceeds its size'))
  let at = 0
  let to = start
  /** Reads the additional bytes of a length that is 15 or more. */
  const extended = (length: number): number => {
    if (length < 15) return length
    for (let sum = length; ;) {
      const byte = block[at++]
      if (byte === undefined) throw new Malformed(cutOff)
      sum += byte
      if (byte < 255) return sum
    }
  }
  while (at < block.length) {
    const token = block.readUInt8(at++)
    const literals = extended(token >> 4)
    if (at + literals > block.length) throw new Malformed(cutOff)
    if (to + literals > end) throw beyond()
    to = copyBytes(block, { at, size: literals }, output, to)
    at += literals
    // The last sequence has literals only.
    if (at === block.length) return to
    if (at + 2 > block.length) throw new Malformed(cutOff)
    const distance = block.readUInt16LE(at)
    at += 2
    const size = 4 + extended(token & 15)
    if (to + size > end) throw beyond()
    to = copyWithin(output, { start: 0, end, to, distance, size })
  }
  return to
}
