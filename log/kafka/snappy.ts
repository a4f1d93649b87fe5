import { copyBytes, copyWithin } from './copy-bytes.ts'
import { Malformed } from './malformed.ts'

// The format: https://github.com/google/snappy/blob/main/format_description.txt

const cutOff = 'A snappy block is cut off'

/** The largest ratio of the format: a copy of 3 bytes writes 64. */
const maxRatio = 64 / 3

/** Returns the length that a block declares. Throws `Malformed` if a block of this size cannot hold it. */
export function snappyLength(block: Buffer): number {
  const { length } = readLength(block)
  if (length > block.length * maxRatio) throw new Malformed(cutOff)
  return length
}

/** Decompresses one block to `output` from `start` on; returns the end of its output. Throws `Malformed`. */
export function decompressSnappyBlock(block: Buffer, output: Buffer, start: number): number {
  const { length, at: first } = readLength(block)
  const end = start + length
  let to = start
  for (let at = first; at < block.length;) {
    const tag = block.readUInt8(at++)
    if ((tag & 3) === 0) {
      const extra = Math.max(0, (tag >> 2) - 59)
      if (at + extra > block.length) throw new Malformed(cutOff)
      const size = 1 + (extra > 0 ? block.readUIntLE(at, extra) : tag >> 2)
      at += extra
      if (at + size > block.length || to + size > end) throw new Malformed(cutOff)
      to = copyBytes(block, { at, size }, output, to)
      at += size
    } else {
      const extra = [0, 1, 2, 4][tag & 3] ?? 0
      if (at + extra > block.length) throw new Malformed(cutOff)
      const low = block.readUIntLE(at, extra)
      const [size, distance] = extra === 1 ? [4 + ((tag >> 2) & 7), ((tag >> 5) << 8) | low] : [1 + (tag >> 2), low]
      at += extra
      to = copyWithin(output, { start, end, to, distance, size })
    }
  }
  if (to !== end) throw new Malformed('A snappy block is shorter than it declares')
  return end
}

function readLength(block: Buffer): { readonly length: number; readonly at: number } {
  let length = 0
  for (let at = 0; at < 5; at++) {
    const byte = block[at]
    if (byte === undefined) break
    length += (byte & 0x7f) * 0x80 ** at
    if (byte < 0x80) return { length, at: at + 1 }
  }
  throw new Malformed(cutOff)
}
