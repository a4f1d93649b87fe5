import { isUtf8 } from 'node:buffer'
import type { SampleColumns, SampleNames } from '../../clickhouse/samples/sample-columns.ts'
import { ByteCache, hashOf } from './byte-cache.ts'
import { CompactReader, maxNamesBytes, orNull, readCompactNames } from './compact.ts'
import { maxCompactSamples } from './compact-writer.ts'
import { hasCanonicalValue, maxTextLength, mayBeUnavailable } from './fields.ts'
import type { MachineInfo } from './machine.ts'
import type { TimeLimits } from './validate.ts'

/** A compact record of known machines. */
export interface PackedSamples {
  /** In the order of the record. */
  readonly machines: readonly MachineInfo[]
  readonly bytes: Buffer
  /** Index of the first byte of the samples. */
  readonly at: number
}

/** Consecutive samples in columns, all of one machine. */
export interface PackedRun {
  readonly machine: MachineInfo
  /** Index of the first sample, and the index after the last one. */
  readonly first: number
  readonly end: number
  /** Indexes of their names. */
  readonly names: readonly number[]
}

/**
 * Appends all samples of a compact record to columns, without an object for each sample. Any client of the log may write a record, so all bytes
 * are validated. Returns the samples of each machine; null, with unchanged columns, if a sample has more than names and a value, is not in
 * its canonical form, or is outside the time limits of its machine.
 */
export function appendPacked(
  packed: PackedSamples,
  columns: SampleColumns,
  limitsOf: (machine: MachineInfo) => TimeLimits,
): readonly PackedRun[] | null {
  const first = columns.length
  const runs = orNull(() => append(packed, columns, limitsOf))
  if (runs === null) columns.cutTo(first)
  return runs
}

function append(
  { machines, bytes, at: start }: PackedSamples,
  columns: SampleColumns,
  limitsOf: (machine: MachineInfo) => TimeLimits,
): readonly PackedRun[] | null {
  const reader = new CompactReader(bytes, start)
  const places: number[] = []
  /** By index of names: the number of the last run that has them, from 1. */
  const runsOfNames: number[] = []
  const runs: PackedRun[] = []
  /** By index of the machine. */
  const limits: TimeLimits[] = []
  let names: number[] | null = null
  let first = columns.length
  let number = 1
  let count = 0
  let index = 0
  let machine = machines[0]
  if (machine === undefined) return null
  let { fromUs, toUs } = limitsOf(machine)
  while (!reader.isAtEnd) {
    reader.head()
    if (reader.machine !== index) {
      if (names !== null) runs.push({ machine, first, end: columns.length, names })
      index = reader.machine
      machine = machines[index]
      if (machine === undefined) return null
      ;({ fromUs, toUs } = limits[index] ??= limitsOf(machine))
      first = columns.length
      names = null
      number++
    }
    let place = places[reader.names]
    if (place === undefined) {
      const packed = reader.names === places.length ? namesAt(bytes, reader.at) : null
      if (packed === null) return null
      reader.at += packed.bytes
      places.push((place = columns.placeOf(packed.names)))
    }
    if (runsOfNames[reader.names] !== number) {
      runsOfNames[reader.names] = number
      // An array that grows from empty reserves memory for many more: most machines that share a record have few samples in it.
      if (names === null) names = [place]
      else names.push(place)
    }
    reader.time()
    const length = reader.number()
    const { at, atUs } = reader
    const end = at + length
    if (end > bytes.length || !(atUs >= fromUs && atUs <= toUs) || ++count > maxCompactSamples) return null
    const bits = columns.pushPlain(machine, atUs, place, bytes, at, end)
    const isSimple = bits <= lastAscii && length <= maxTextLength && !mayBeUnavailable(bytes, at, end)
    if (!isSimple && !isCanonicalUtf8(bytes, at, end)) return null
    reader.at = end
  }
  if (names !== null) runs.push({ machine, first, end: columns.length, names })
  return runs
}

/** Whether these bytes are valid UTF-8 and the canonical value of a sample or an event. */
function isCanonicalUtf8(bytes: Buffer, start: number, end: number): boolean {
  const value = bytes.toString('utf8', start, end)
  return isUtf8(bytes.subarray(start, end)) && hasCanonicalValue({ value, category: 'EVENT', message: '' })
}

const lastAscii = 0x7f

/** Names in a compact record, and their size. */
interface PackedNames {
  readonly names: SampleNames
  readonly bytes: number
}

const cache = new ByteCache<PackedNames>()

/**
 * Reads the names that begin at an index of a compact record; names that came before are neither decoded nor validated again. null: they are
 * of conditions or of samples with further fields, they are not canonical, or their bytes end too soon.
 */
function namesAt(record: Buffer, start: number): PackedNames | null {
  const end = endOfNames(record, start)
  if (end < 0 || end - start > maxNamesBytes) return null
  const hash = hashOf(record, start, end)
  const found = cache.find(hash, record, start, end)
  if (found !== undefined) return found
  const { names, areCanonical } = readCompactNames(new CompactReader(record, start))
  if (!areCanonical) return null
  const packed = { names, bytes: end - start }
  if (packed.bytes <= maxCachedBytes) cache.store(hash, record, start, end, packed)
  return packed
}

/** Longer names are decoded each time. */
const maxCachedBytes = 300
/** Names are a kind and six strings. */
const texts = 6
/** The kinds SAMPLE and EVENT, without further fields. */
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
