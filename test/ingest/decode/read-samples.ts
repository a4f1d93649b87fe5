import { AcceptedSamples } from '../../../ingest/consume/accepted-samples.ts'
import { CompactReader } from '../../../ingest/decode/compact.ts'
import type { MachineName } from '../../../ingest/decode/compact-writer.ts'
import { openRecord } from '../../../ingest/decode/record.ts'
import type { DecodeContext } from '../../../ingest/decode/validate.ts'
import type { LogRecord } from '../../../log/log.ts'
import type { Sample } from '../../../schema/sample.ts'

/** Reads the samples of a record of plain samples; null: some sample is not plain or not valid. */
export function readPlain(value: Buffer, context: DecodeContext): readonly Sample[] | null {
  const samples = new AcceptedSamples(0)
  const isPlain = samples.appendPlain(recordOf(value, context.appendedAtMs), openRecord(value, context))
  return isPlain ? [...samples.rows].map(({ sample }) => sample) : null
}

/** Creates a record of the log. */
function recordOf(value: Buffer, timestampMs: number): LogRecord {
  return { topic: 'samples.v1', partition: 0, offset: 0, key: null, value, headers: {}, timestampMs }
}

/** Reads a compact record without validation. */
export function readCompact(
  value: Buffer,
): readonly (Omit<Sample, 'machineRef'> & { readonly machine: MachineName })[] {
  const reader = new CompactReader(value, { machine: () => undefined, appendedAtMs: 0 })
  const samples: (Omit<Sample, 'machineRef'> & { readonly machine: MachineName })[] = []
  while (reader.read()) samples.push({ machine: reader.machineName, ...reader.sample() })
  return samples
}
