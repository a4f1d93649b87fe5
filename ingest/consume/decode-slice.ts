import type { LogRecord } from '../../log/log.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { defaultChunkBytes } from '../../shared/json/large-json.ts'
import { isCompact } from '../decode/compact-writer.ts'
import { decodeLargeRecord } from '../decode/json.ts'
import { decodeRecord, openRecord } from '../decode/record.ts'
import type { DecodeContext } from '../decode/validate.ts'
import type { AcceptedSamples } from './accepted-samples.ts'
import { DeadLetters } from './dead-letters.ts'

/** Approximate size of a slice, which bounds memory and the time without a yield. */
const sliceBytes = 1_000_000
/** Maximum size of JSON whose samples are read without a yield: about two milliseconds of work. */
const maxPlainBytes = 262_144

/** Records that are consumed together. */
export interface RecordSlice {
  readonly records: readonly LogRecord[]
  /** Approximate size of the records as JSON. */
  readonly bytes: number
}

/** Samples of a slice that are not valid. */
export interface DecodedSlice {
  readonly deadLetters: DeadLetters
  /** Records without a value (tombstones), which contain no sample. */
  readonly skipped: number
}

/** Decodes the records of a slice into `samples`. Yields to the event loop between records, and within a large one. */
export async function decodeSlice(
  { records }: RecordSlice,
  context: Omit<DecodeContext, 'appendedAtMs'>,
  samples: AcceptedSamples,
): Promise<DecodedSlice> {
  const deadLetters = new DeadLetters()
  const chunks = { bytes: defaultChunkBytes, slice: new TimeSlice() }
  let skipped = 0
  for (const source of records) {
    const { defect, value } = source
    if (defect !== undefined) {
      if (defect.kind === 'undecodable') deadLetters.addUndecodable(source, defect)
      else skipped++
      continue
    }
    const own = { ...context, appendedAtMs: source.timestampMs }
    const isText = !isCompact(value)
    if ((isText && value.length > maxPlainBytes) || !samples.appendPlain(source, openRecord(value, own))) {
      const isLarge = isText && value.length > defaultChunkBytes
      const decoded = isLarge ? await decodeLargeRecord(value, own, chunks) : decodeRecord(value, own)
      deadLetters.addRejected(source, decoded, isText)
      samples.append(source, decoded.accepted)
    }
    if (chunks.slice.isOver) await chunks.slice.next()
  }
  return { deadLetters, skipped }
}

/** A sample takes about 20 bytes compact and 100 as JSON. */
const jsonBytesOfCompact = 5
export const bytesOfSample = 100

/** Splits records into slices of about `sliceBytes`. */
export function cutBySize(records: readonly LogRecord[]): readonly RecordSlice[] {
  const slices: RecordSlice[] = []
  let slice: LogRecord[] = []
  let bytes = 0
  for (const [index, record] of records.entries()) {
    slice.push(record)
    bytes += record.value.length * (isCompact(record.value) ? jsonBytesOfCompact : 1)
    if (bytes < sliceBytes && index < records.length - 1) continue
    slices.push({ records: slice, bytes })
    slice = []
    bytes = 0
  }
  return slices
}
