import { CompactReader, decodeCompact } from './compact.ts'
import { isCompact } from './compact-writer.ts'
import { decodeJson } from './json.ts'
import { PlainJson } from './plain-json.ts'
import type { DecodeContext, Decoded, SampleReader } from './validate.ts'

/** Decodes a record of samples.v1: a sample, a batch `{machineId, samples}`, or compact samples. An invalid sample rejects no other sample. Throws only if the process lacks memory. */
export function decodeRecord(value: Buffer, context: DecodeContext): Decoded {
  return isCompact(value) ? decodeCompact(value, context) : decodeJson(value, context)
}

/** Opens a record of plain samples. */
export function openRecord(value: Buffer, context: DecodeContext): SampleReader {
  return isCompact(value) ? new CompactReader(value, context) : new PlainJson(value, context, false)
}
