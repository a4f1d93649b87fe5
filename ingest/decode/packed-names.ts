import type { SampleNames } from '../../clickhouse/samples/sample-columns.ts'
import { CompactReader } from './compact-reader.ts'
import { mostNamesBytes, readCompactNames } from './read-compact.ts'
import { areKeptNames } from './sample.ts'

/** Names as a compact record has them, and their bytes. */
export interface PackedNames {
  readonly names: SampleNames
  readonly bytes: Uint8Array
}

/** Senders repeat a few hundred names for ever; one that sends ever new ones must not fill the memory. */
const mostKnown = 10_000
const known = new Map<number, PackedNames>()

/**
 * The names that begin here in a compact record: those that came before are neither read nor checked again. Null: they are of samples that may
 * have more than names and a value, or of conditions, or decoding would not have kept them so, or their bytes end too soon.
 */
export function packedNamesAt(record: Buffer, start: number): PackedNames | null {
  const end = endOfNames(record, start)
  if (end < 0 || end - start > mostNamesBytes) return null
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (record[at] ?? 0), 0x01000193)
  const found = known.get(hash)
  if (found !== undefined && isAt(record, start, end, found.bytes)) return found
  const { kind: _, ...names } = readCompactNames(new CompactReader(record, start))
  if (!areKeptNames(names)) return null
  // A copy: the record does not stay.
  const packed = { names, bytes: Uint8Array.prototype.slice.call(record, start, end) }
  if (known.size >= mostKnown) known.clear()
  if (packed.bytes.length <= mostBytes) known.set(hash, packed)
  return packed
}

/** Names that are longer are read each time. */
const mostBytes = 300
/** A kind and six texts. */
const texts = 6
/** SAMPLE and EVENT, without a message and numbers. */
const plainKinds = 2

function endOfNames(record: Uint8Array, start: number): number {
  if ((record[start] ?? plainKinds) >= plainKinds) return -1
  let at = start + 1
  for (let text = 0; text < texts; text++) {
    let length = record[at++] ?? 0
    if (length >= 0x80) {
      const high = record[at++] ?? 0x80
      if (high >= 0x80) return -1
      length += (high - 1) * 0x80
    }
    at += length
  }
  return at < record.length ? at : -1
}

function isAt(record: Uint8Array, start: number, end: number, bytes: Uint8Array): boolean {
  if (end - start !== bytes.length) return false
  for (let i = 0; i < bytes.length; i++) if (record[start + i] !== bytes[i]) return false
  return true
}
