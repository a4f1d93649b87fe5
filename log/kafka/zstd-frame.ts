import { Malformed, tooLarge } from './malformed.ts'

const cutOff = 'A zstd frame is cut off'
const magic = 0xfd2fb528
const maxBlockBytes = 131_072
/** The largest window that zstd's own decoder accepts by default; level 22 has it. */
const maxWindowBytes = 2 ** 27

/**
 * Checks the header and the lengths of the blocks of a zstd frame before it is decompressed: a decoder allocates what they declare. Throws
 * `Malformed` if the bytes are not one complete frame, or declare more than `maxBytes`. The format:
 * https://datatracker.ietf.org/doc/html/rfc8878#section-3.1.1
 */
export function checkZstdFrame(bytes: Buffer, maxBytes: number): void {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== magic) throw new Malformed('Not a zstd frame')
  const descriptor = bytes.readUInt8(4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const hasChecksum = (descriptor & 4) !== 0
  const contentSizeAt = 5 + (isSingleSegment ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0)
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  if (!isSingleSegment && windowBytes(bytes.readUInt8(5)) > maxWindowBytes)
    throw new Malformed(`The window of the zstd frame is larger than ${maxWindowBytes} bytes`)
  if (contentSize(bytes, contentSizeAt, sizeBytes) > maxBytes) throw tooLarge(maxBytes)
  const end = endOfBlocks(bytes, contentSizeAt + sizeBytes) + (hasChecksum ? 4 : 0)
  if (end !== bytes.length) throw new Malformed(end > bytes.length ? cutOff : 'More than one zstd frame')
}

function windowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

function contentSize(bytes: Buffer, at: number, size: number): number {
  if (bytes.length < at + size) throw new Malformed(cutOff)
  if (size === 0) return 0
  if (size === 8) return Number(bytes.readBigUInt64LE(at))
  return bytes.readUIntLE(at, size) + (size === 2 ? 256 : 0)
}

function endOfBlocks(bytes: Buffer, start: number): number {
  for (let at = start; ;) {
    if (at + 3 > bytes.length) throw new Malformed(cutOff)
    const header = bytes.readUIntLE(at, 3)
    const isLast = (header & 1) !== 0
    const isRepeatedByte = ((header >> 1) & 3) === 1
    const size = header >> 3
    if (size > maxBlockBytes) throw new Malformed('A zstd block exceeds its size')
    at += 3 + (isRepeatedByte ? 1 : size)
    if (isLast) return at
  }
}
