import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type { StateSettings } from '../../schema/records/machine.ts'
import { trialLimits, type TrialResult, type TrialSample } from '../../schema/requests/connector-trial.ts'
import type { WireSample } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { ConnectorTrial } from './try-connector.ts'
import { TrialMachines } from './trial-machines.ts'

/** Limits of the samples and reasons in a result. */
const shown = { samples: 1_000, reasons: 100 } as const

export interface TryOptions {
  readonly connector: ConnectorRecord
  readonly settingsOf: (machineId: string) => StateSettings
  readonly nowMs: number
  readonly signal: AbortSignal
}

/**
 * Maps the lines of a recording, as `npm run connect -- record` writes them, and returns its samples and the states of the machines
 * after them. Stores nothing. Throws an `ApiError`, `JsonOutOfBounds` or `SourceError` if the recording, or the devices of
 * the connector, cannot be read.
 */
export async function tryRecording(recording: readonly string[], options: TryOptions): Promise<TrialResult> {
  const { connector, settingsOf, nowMs, signal } = options
  const trial = new ConnectorTrial(connector, nowMs)
  const machines = new TrialMachines(settingsOf)
  const samples: TrialSample[] = []
  let sampleCount = 0
  let isCut = false
  for await (const sample of samplesOf(trial, connector, recording, signal)) {
    isCut = sampleCount >= trialLimits.samples
    if (isCut) break
    sampleCount++
    machines.add(sample, nowMs)
    if (samples.length < shown.samples) samples.push(sample)
  }
  const skipped = [...trial.skipped.byReason].slice(0, shown.reasons)
  return {
    samples,
    sampleCount,
    isCut,
    machines: [...machines.read(nowMs)],
    skipped: skipped.map(([reason, { count, example }]) => ({ reason, count, example })),
  }
}

async function* samplesOf(
  trial: ConnectorTrial,
  { kind }: ConnectorRecord,
  recording: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<WireSample> {
  if (kind === 'mtconnect') yield* trial.documents(recording.join('\n'))
  else if (kind === 'http') yield* await trial.posts(Buffer.from(recording.join('\n')))
  else yield* kind === 'shdr' ? trial.lines(linesOf(recording, signal)) : trial.messages(linesOf(recording, signal))
}

/** Yields the lines; other requests proceed in between. */
async function* linesOf(lines: readonly string[], signal: AbortSignal): AsyncGenerator<string> {
  const slice = new TimeSlice(signal)
  for (const line of lines) {
    if (line !== '') yield line
    if (slice.isOver) await slice.next()
  }
}
