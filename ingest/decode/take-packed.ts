import type { SampleColumns } from '../../clickhouse/samples/sample-columns.ts'
import type { MachineInfo } from './machine.ts'
import { packedNamesAt } from './packed-names.ts'

/** Samples of one machine as `CompactSamples` writes them. */
export interface PackedSamples {
  readonly machine: MachineInfo
  readonly bytes: Buffer
}

/** Times of samples that are taken, UTC µs. */
export interface TimeBounds {
  readonly fromUs: number
  readonly toUs: number
}

/**
 * Puts all samples of a compact record into columns, without an object for any of them. Returns the places of their names; null: not all of
 * them are plain and in time, and none was taken.
 */
export function takePacked(
  { machine, bytes }: PackedSamples,
  columns: SampleColumns,
  bounds: TimeBounds,
): readonly number[] | null {
  const first = columns.length
  const places = read(bytes, machine, columns, bounds)
  if (places === null) columns.cutTo(first)
  return places
}

function read(
  bytes: Buffer,
  machine: MachineInfo,
  columns: SampleColumns,
  { fromUs, toUs }: TimeBounds,
): readonly number[] | null {
  const end = bytes.length
  const places: number[] = []
  let atUs = 0
  let at = skipText(bytes, 1)
  while (at < end) {
    // Numbers are LEB128, as `Reader` reads them: here without a call for each.
    let byte = bytes[at++] ?? 0
    let head = byte & 0x7f
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      if (at >= end) return null
      byte = bytes[at++] ?? 0
      head += (byte & 0x7f) * factor
    }
    const isEarlier = head % 2 === 1
    const index = isEarlier ? (head - 1) / 2 : head / 2
    let place = places[index]
    if (place === undefined) {
      const packed = index === places.length ? packedNamesAt(bytes, at) : null
      if (packed === null) return null
      at += packed.bytes.length
      places.push((place = columns.placeOf(packed.names)))
    }
    byte = bytes[at++] ?? 0
    let sinceUs = byte & 0x7f
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      if (at >= end) return null
      byte = bytes[at++] ?? 0
      sinceUs += (byte & 0x7f) * factor
    }
    atUs += isEarlier ? -sinceUs : sinceUs
    byte = bytes[at++] ?? 0
    let length = byte & 0x7f
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      if (at >= end) return null
      byte = bytes[at++] ?? 0
      length += (byte & 0x7f) * factor
    }
    if (at + length > end || atUs < fromUs || atUs > toUs) return null
    columns.pushPlain(machine, atUs, place, bytes, at, at + length)
    at += length
  }
  return places
}

/** The end of a text, whose length stands before it. */
function skipText(bytes: Uint8Array, start: number): number {
  let at = start
  let length = 0
  for (let factor = 1; ; factor *= 0x80) {
    const byte = bytes[at++] ?? 0
    length += (byte & 0x7f) * factor
    if (byte < 0x80) return at + length
  }
}
