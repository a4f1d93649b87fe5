import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32c } from '../crc32c.ts'
import { endsKey } from './keys.ts'

/**
 * Format of a LevelDB journal: blocks of records, each with CRC-32C (masked) u32, length u16, type u8, all
 * little-endian.
 */
const blockBytes = 32 << 10
const headerBytes = 7
const type = { full: 1, first: 2, middle: 3, last: 4 } as const
/** A batch begins with its sequence number u64 and count u32. */
const batchHeaderBytes = 12
/** First write of a batch: tag 1 (put), the key with its length, then the length of the value. */
const putEnds = Buffer.from([1, endsKey.length, ...endsKey])

/**
 * Finds the ends of all partitions in the newest complete batch of the journals of a closed LevelDB folder; null if no
 * batch has them. LevelDB drops the rest of a block after a damaged byte when it opens; this function reads the batches
 * after it.
 */
export async function newestEndsInJournals(path: string): Promise<Buffer | null> {
  const names = await readdir(path).catch(() => [])
  const journals = names.filter(name => /^\d+\.log$/.test(name)).sort((one, other) => parseInt(other) - parseInt(one))
  for (const name of journals) {
    const ends = newestEnds(await readFile(join(path, name)).catch(() => Buffer.alloc(0)))
    if (ends !== null) return ends
  }
  return null
}

/** Value of the partition ends in the newest complete batch of a journal; null if no batch has them. */
function newestEnds(journal: Buffer): Buffer | null {
  let newest: Buffer | null = null
  let fragments: Buffer[] = []
  for (const { kind, data } of fragmentsOf(journal)) {
    if (kind === type.full || kind === type.first) fragments = []
    else if (fragments.length === 0) continue
    fragments.push(data)
    if (kind === type.full || kind === type.last) {
      newest = endsOf(Buffer.concat(fragments)) ?? newest
      fragments = []
    }
  }
  return newest
}

interface Fragment {
  readonly kind: number
  readonly data: Buffer
}

/**
 * Yields every fragment with a valid CRC. After a damaged one, only fragments that begin with the partition ends are
 * searched in the same block.
 */
function* fragmentsOf(journal: Buffer): Generator<Fragment> {
  for (let start = 0; start < journal.length; start += blockBytes) {
    const block = journal.subarray(start, start + blockBytes)
    let isDamaged = false
    for (let at = 0; at + headerBytes <= block.length;) {
      const fragment = isDamaged && !beginsWithEnds(block, at) ? null : fragmentAt(block, at)
      if (fragment === null) {
        // Ends the batch that lost a fragment.
        if (!isDamaged) yield { kind: type.full, data: Buffer.alloc(0) }
        isDamaged = true
        at++
      } else {
        yield fragment
        isDamaged = false
        at += headerBytes + fragment.data.length
      }
    }
  }
}

function beginsWithEnds(block: Buffer, at: number): boolean {
  const from = at + headerBytes + batchHeaderBytes
  return block.subarray(from, from + putEnds.length).equals(putEnds)
}

function fragmentAt(block: Buffer, at: number): Fragment | null {
  const length = block.readUInt16LE(at + 4)
  const kind = block.readUInt8(at + 6)
  const end = at + headerBytes + length
  if (kind < type.full || kind > type.last || end > block.length) return null
  return block.readUInt32LE(at) === maskedCrc32c(block.subarray(at + 6, end))
    ? { kind, data: block.subarray(at + headerBytes, end) }
    : null
}

function endsOf(batch: Buffer): Buffer | null {
  if (!batch.subarray(batchHeaderBytes).subarray(0, putEnds.length).equals(putEnds)) return null
  let at = batchHeaderBytes + putEnds.length
  let length = 0
  for (let shift = 0; ; shift += 7) {
    const byte = batch.readUInt8(at++)
    length |= (byte & 0x7f) << shift
    if (byte < 0x80) break
  }
  return batch.subarray(at, at + length)
}

function maskedCrc32c(bytes: Buffer): number {
  const crc = crc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
