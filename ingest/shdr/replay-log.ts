import type { IngestResponse } from '../../schema/requests/ingest.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import type { Device } from './devices.ts'
import { parseLine, type ShdrObservation } from './line.ts'
import { findStart, shiftTimestamp } from './rebase.ts'
import { toSample, type ReplaySample } from './sample.ts'

export interface ReplayOptions {
  readonly lines: AsyncIterable<string>
  readonly device: Device
  /** UTC ms for the log's first line after its snapshot; null: timestamps stay unchanged. */
  readonly rebaseToMs: number | null
  /** Seconds of the log per second; null: as fast as possible. */
  readonly speed: number | null
  readonly send: (samples: readonly ReplaySample[]) => Promise<IngestResponse>
  /** Called with each line without an observation, and its number. */
  readonly onSkippedLine?: (line: string, number: number) => void
  /** Called after every batch. */
  readonly onProgress: (summary: ReplaySummary) => void
  /** UTC ms. */
  readonly now: () => number
  readonly sleep: (durationMs: number) => Promise<unknown>
  /** Limit of the samples in a batch; 2,000 by default. */
  readonly batchSize?: number
}

export interface ReplaySummary {
  readonly lines: number
  /** Lines without an observation. */
  readonly passedOver: number
  readonly accepted: number
  /** Samples by the code of their rejection. */
  readonly rejected: Readonly<Record<string, number>>
  /** Samples by key, of the keys that the device does not have. */
  readonly unknownKeys: Readonly<Record<string, number>>
}

/** Sends a log of one device as samples, in constant memory. */
export async function replayLog(options: ReplayOptions): Promise<ReplaySummary> {
  const { device, rebaseToMs, speed, batchSize = 2_000, now, sleep } = options
  const tally = createTally()
  const { startUs, lines } = await findStart(parseLines(options, tally))
  const shiftUs = rebaseToMs === null ? 0 : rebaseToMs * 1000 - startUs
  const startedMs = now()
  let batch: ReplaySample[] = []
  const flush = async () => {
    if (batch.length === 0) return
    const sent = batch
    batch = []
    tally.add(await options.send(sent))
    options.onProgress(tally.summary())
  }
  for await (const observations of lines) {
    for (const observation of observations) {
      const waitMs = speed === null ? 0 : startedMs + dueMs(observation, startUs, speed) - now()
      if (waitMs > 0) {
        await flush()
        await sleep(waitMs)
      }
      batch.push(toSample({ ...observation, timestamp: shiftTimestamp(observation.timestamp, shiftUs) }, device.items))
      if (batch.length >= batchSize) await flush()
    }
  }
  await flush()
  return tally.summary()
}

/**
 * Time after the start at which an observation is due: at whole seconds, so that at most one batch per second is sent.
 */
function dueMs({ timestamp }: ShdrObservation, startUs: number, speed: number): number {
  const afterMs = ((parseInstantUs(timestamp) ?? startUs) - startUs) / 1000 / speed
  return Math.ceil(afterMs / 1000) * 1000
}

async function* parseLines(
  { lines, device: { items }, onSkippedLine }: ReplayOptions,
  tally: Tally,
): AsyncIterable<readonly ShdrObservation[]> {
  let number = 0
  for await (const line of lines) {
    const observations = parseLine(line, items)
    number++
    if (observations === null) onSkippedLine?.(line, number)
    tally.line(observations !== null)
    for (const { key } of observations ?? []) if (!items.has(key)) tally.unknownKey(key)
    if (observations !== null) yield observations
  }
}

type Tally = ReturnType<typeof createTally>

function createTally() {
  const counts = { lines: 0, passedOver: 0, accepted: 0 }
  const rejected: Record<string, number> = {}
  const unknownKeys: Record<string, number> = {}
  const count = (counted: Record<string, number>, name: string, times = 1) => {
    counted[name] = (counted[name] ?? 0) + times
  }
  return {
    line(isObservation: boolean): void {
      counts.lines++
      if (!isObservation) counts.passedOver++
    },
    unknownKey: (key: string): void => count(unknownKeys, key),
    add(result: IngestResponse): void {
      counts.accepted += result.accepted
      for (const [code, samples] of Object.entries(result.rejectedByCode)) count(rejected, code, samples)
    },
    summary: (): ReplaySummary => ({ ...counts, rejected: { ...rejected }, unknownKeys: { ...unknownKeys } }),
  }
}
