import { isUtf8 } from 'node:buffer'
import type { SampleColumns } from '../../clickhouse/samples/sample-columns.ts'
import { largestFactor } from './compact-reader.ts'
import { isOfSeveral, mostOfCompact, otherMachine } from './compact-samples.ts'
import type { MachineInfo } from './machine.ts'
import { packedNamesAt } from './packed-names.ts'
import { maxTextLength, readValue } from './sample.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'

/** Samples as `CompactSamples` writes them. */
export interface PackedSamples {
  /** In the order of their ids in the record. */
  readonly machines: readonly MachineInfo[]
  readonly bytes: Buffer
  /** Where the first sample begins. */
  readonly at: number
}

/** Times of samples that are taken, UTC µs. */
export interface TimeBounds {
  readonly fromUs: number
  readonly toUs: number
}

/** Samples in columns that follow each other and are of one machine. */
export interface PackedRun {
  readonly machine: MachineInfo
  /** Place of the first one, and the place behind the last one. */
  readonly first: number
  readonly end: number
  /** Places of their names. */
  readonly names: readonly number[]
}

/**
 * Puts all samples of a compact record into columns, without an object for any of them. `boundsOf` says which times of a machine are taken.
 * Returns where those of each machine stand; null: not all of them are plain, as decoding would have kept them, and in time, and none was
 * taken. Others may write the log, so no byte is believed.
 */
export function takePacked(
  packed: PackedSamples,
  columns: SampleColumns,
  boundsOf: (machine: MachineInfo) => TimeBounds,
): readonly PackedRun[] | null {
  const first = columns.length
  const runs = read(packed, columns, boundsOf)
  if (runs === null) columns.cutTo(first)
  return runs
}

function read(
  { machines, bytes, at: start }: PackedSamples,
  columns: SampleColumns,
  boundsOf: (machine: MachineInfo) => TimeBounds,
): readonly PackedRun[] | null {
  const end = bytes.length
  const isSeveral = isOfSeveral(bytes)
  const places: number[] = []
  /** By index of names: the number of the last run that has them, from 1. */
  const runsOfNames: number[] = []
  const runs: PackedRun[] = []
  /** Bounds of the machines, by place. */
  const bounds: TimeBounds[] = []
  let names: number[] | null = null
  let first = columns.length
  let number = 1
  let count = 0
  let machine = machines[0]
  if (machine === undefined) return null
  let { fromUs, toUs } = boundsOf(machine)
  let atUs = 0
  let at = start
  while (at < end) {
    // Numbers are LEB128, as `Reader` reads them: here without a call for each.
    let byte = bytes[at++] ?? 0
    let head = byte & 0x7f
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      if (at >= end || factor > largestFactor) return null
      byte = bytes[at++] ?? 0
      head += (byte & 0x7f) * factor
    }
    const isEarlier = head % 2 === 1
    let index = isEarlier ? (head - 1) / 2 : head / 2
    if (isSeveral) {
      const isOther = (head & otherMachine) !== 0
      index = Math.floor(index / 2)
      if (isOther) {
        byte = bytes[at++] ?? 0
        let place = byte & 0x7f
        for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
          if (at >= end || factor > largestFactor) return null
          byte = bytes[at++] ?? 0
          place += (byte & 0x7f) * factor
        }
        if (names !== null) runs.push({ machine, first, end: columns.length, names })
        machine = machines[place]
        if (machine === undefined) return null
        ;({ fromUs, toUs } = bounds[place] ??= boundsOf(machine))
        first = columns.length
        names = null
        number++
      }
    }
    let place = places[index]
    if (place === undefined) {
      const packed = index === places.length ? packedNamesAt(bytes, at) : null
      if (packed === null) return null
      at += packed.bytes.length
      places.push((place = columns.placeOf(packed.names)))
    }
    if (runsOfNames[index] !== number) {
      runsOfNames[index] = number
      // A list that grows from nothing takes room for many more: most machines that share a record have few samples in it.
      if (names === null) names = [place]
      else names.push(place)
    }
    byte = bytes[at++] ?? 0
    let sinceUs = byte & 0x7f
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      if (at >= end || factor > largestFactor) return null
      byte = bytes[at++] ?? 0
      sinceUs += (byte & 0x7f) * factor
    }
    atUs += isEarlier ? -sinceUs : sinceUs
    byte = bytes[at++] ?? 0
    let length = byte & 0x7f
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      if (at >= end || factor > largestFactor) return null
      byte = bytes[at++] ?? 0
      length += (byte & 0x7f) * factor
    }
    if (at + length > end || !(atUs >= fromUs && atUs <= toUs) || ++count > mostOfCompact) return null
    const bits = columns.pushPlain(machine, atUs, place, bytes, at, at + length)
    const mayBeWord = length === unavailableValue.length && (bytes[at] === upperU || bytes[at] === lowerU)
    if ((bits > lastAscii || mayBeWord || length > maxTextLength) && !isKeptValue(bytes, at, at + length)) return null
    at += length
  }
  if (names !== null) runs.push({ machine, first, end: columns.length, names })
  return runs
}

/** Whether these bytes are a value as decoding keeps it: UTF-8, not too long, and in the one spelling of the word that has one. */
function isKeptValue(bytes: Buffer, start: number, end: number): boolean {
  const value = bytes.toString('utf8', start, end)
  return value.length <= maxTextLength && isUtf8(bytes.subarray(start, end)) && readValue(value, 'EVENT') === value
}

const lastAscii = 0x7f
const [upperU, lowerU] = [0x55, 0x75]
