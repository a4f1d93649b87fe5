import type { Log } from '../../log/log.ts'
import { groups, topics } from '../../schema/topics.ts'
import type { ForwardedOffsets } from '../live/forwarded-offsets.ts'
import type { PipelineOffsets } from './watermark.ts'

export interface ReadOffsetsDeps {
  readonly log: Pick<Log, 'endOffsets' | 'committed'>
  readonly clock: () => number
  /** Offsets that the ingest of this process has forwarded; null: other processes may ingest. */
  readonly forwarded: ForwardedOffsets | null
}

export interface OffsetReading {
  readonly reading: Omit<PipelineOffsets, 'stateSamplesClean'>
  /** Offset by partition of the samples topic, up to which samples are stored or forwarded. */
  readonly forwardedTo: readonly number[]
}

/** Reads the offsets in the order of the data flow, so that a record that moves on between two reads is counted. */
export async function readOffsets({ log, clock, forwarded }: ReadOffsetsDeps): Promise<OffsetReading> {
  const nowMs = clock()
  const samplesEnd = await log.endOffsets(topics.samples)
  const samplesDone = await log.committed(groups.ingest, topics.samples)
  const forwardedTo = samplesEnd.map((_, partition) =>
    Math.max(samplesDone[partition] ?? 0, forwarded?.of(partition) ?? 0),
  )
  const stateSamplesEnd = await log.endOffsets(topics.stateSamples)
  return { reading: { nowMs, samplesEnd, samplesDone, stateSamplesEnd }, forwardedTo }
}
