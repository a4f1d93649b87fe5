import type { LogRecord } from '../../log/log.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { defaultPieceBytes } from '../../shared/json/large-json.ts'
import { isCompact } from '../decode/compact-writer.ts'
import { machinesOfCompact, namedMachine } from '../decode/compact.ts'
import type { MachineInfo } from '../decode/machine.ts'
import { decodeRecord, packPlain } from '../decode/record.ts'
import type { Accepted, DecodeContext } from '../decode/validate.ts'
import { decodeLargeRecord } from '../decode/json.ts'
import type { PackedSamples } from '../decode/compact-columns.ts'
import { DeadLetters } from './dead-letters.ts'

/** Approximate size of a slice, which bounds memory and the time without a yield. */
const sliceBytes = 1_000_000

/** Valid samples of a record: compact, or one by one. */
interface DecodedRecord {
  readonly source: LogRecord
  readonly packed: PackedSamples | null
  readonly accepted: readonly Accepted[]
}

/** Decoded slice of a batch. */
export interface DecodedSlice {
  readonly records: readonly DecodedRecord[]
  readonly deadLetters: DeadLetters
  readonly nextOffset: number
  readonly bytes: number
  /** Records without a value (tombstones), which contain no sample. */
  readonly skipped: number
}

/** Yields the machines of the samples, with repetitions. */
export function* machinesOfRecords(records: readonly DecodedRecord[]): Generator<MachineInfo> {
  for (const { packed, accepted } of records) {
    if (packed !== null) yield* packed.machines
    for (const { machine } of accepted) yield machine
  }
}

/** Decodes the records of a slice. Yields to the event loop between records, and within a large one. */
export async function decodeSlice(
  records: readonly LogRecord[],
  context: Omit<DecodeContext, 'appendedAtMs'>,
): Promise<DecodedSlice> {
  const decodedRecords: DecodedRecord[] = []
  const deadLetters = new DeadLetters()
  const pieces = { bytes: defaultPieceBytes, slice: new TimeSlice() }
  let bytes = 0
  let skipped = 0
  for (const source of records) {
    const { defect } = source
    if (defect !== undefined) {
      if (defect.kind === 'undecodable') deadLetters.addUndecodable(source, defect)
      else skipped++
      continue
    }
    const own = { ...context, appendedAtMs: source.timestampMs }
    const isPacked = isCompact(source.value)
    bytes += sizeOf(source, isPacked)
    const packed = packedOf(source, own, isPacked)
    if (packed !== null) decodedRecords.push({ source, packed, accepted: [] })
    else {
      const isLarge = source.value.length > defaultPieceBytes && !isPacked
      const decoded = isLarge ? await decodeLargeRecord(source.value, own, pieces) : decodeRecord(source.value, own)
      deadLetters.addRejected(source, decoded, !isPacked)
      if (decoded.accepted.length > 0) decodedRecords.push({ source, packed: null, accepted: decoded.accepted })
    }
    if (pieces.slice.isOver) await pieces.slice.next()
  }
  return { records: decodedRecords, deadLetters, nextOffset: (records.at(-1)?.offset ?? -1) + 1, bytes, skipped }
}

/** The samples of a record that is compact or can be converted; null: they are decoded one by one. */
function packedOf({ value }: LogRecord, context: DecodeContext, isPacked: boolean): PackedSamples | null {
  if (!isPacked) return value.length > defaultPieceBytes ? null : packPlain(value, context)
  const found = machinesOfCompact(value)
  if (found === null) return null
  const machines: MachineInfo[] = []
  for (const name of found.names) {
    const machine = namedMachine(name, context)
    if (machine === undefined) return null
    machines.push(machine)
  }
  return { machines, bytes: value, at: found.at }
}

/** Size of a record as JSON. */
function sizeOf({ value }: LogRecord, isPacked: boolean): number {
  return isPacked ? value.length * jsonBytesOfCompact : value.length
}

/** A sample takes about 20 bytes compact and 100 as JSON. */
const jsonBytesOfCompact = 5
export const bytesOfSample = 100

/** Splits records into slices of about `sliceBytes`. */
export function cutBySize(records: readonly LogRecord[]): readonly (readonly LogRecord[])[] {
  const slices: LogRecord[][] = []
  let slice: LogRecord[] = []
  let bytes = 0
  for (const record of records) {
    slice.push(record)
    bytes += sizeOf(record, isCompact(record.value))
    if (bytes < sliceBytes) continue
    slices.push(slice)
    slice = []
    bytes = 0
  }
  return slice.length > 0 ? [...slices, slice] : slices
}
