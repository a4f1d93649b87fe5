import type { IngestResponse } from '../../schema/requests/ingest.ts'
import { ArrivalOrder } from './arrival-order.ts'
import type { Device } from './devices.ts'
import { ShdrParser } from './parser.ts'
import type { Observation, ParsedLine, ShdrFault } from './parsed-line.ts'
import { findStart } from './rebase.ts'
import { toSample, type ReplaySample } from './sample.ts'
import { shiftTimestamp } from './timestamps.ts'

export interface ReplayOptions {
  /** null: a line above the limit of length. */
  readonly lines: AsyncIterable<string | null>
  /** Device whose samples are sent. Lines belong to it until a command of the log selects another device. */
  readonly device: Device
  /** All devices that the log may name; by default the device only. */
  readonly devices?: readonly Device[]
  /** UTC ms for the log's first line after its snapshot; null: timestamps stay unchanged. */
  readonly rebaseToMs: number | null
  /** Seconds of the log per second; null: as fast as possible. */
  readonly speed: number | null
  readonly send: (samples: readonly ReplaySample[]) => Promise<IngestResponse>
  /** Called with each line that has faults, and its number. */
  readonly onFaults?: (faults: readonly ShdrFault[], line: string, number: number) => void
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
  /** Lines without an observation of the device. */
  readonly passedOver: number
  readonly accepted: number
  /** Samples by the code of their rejection. */
  readonly rejected: Readonly<Record<string, number>>
  /** Samples by key, of the keys that the device does not have. */
  readonly unknownKeys: Readonly<Record<string, number>>
  /** Observations by device, of the other devices of the log, which are not sent. */
  readonly otherDevices: Readonly<Record<string, number>>
  /** Observations with the time and content of the previous one of their key, which are not sent. */
  readonly duplicates: number
  /** Observations whose time is before that of the previous one of their key. */
  readonly backwards: number
}

/** Sends a log of one device as samples, in constant memory. */
export async function replayLog(options: ReplayOptions): Promise<ReplaySummary> {
  const { rebaseToMs, speed, batchSize = 2_000, now, sleep } = options
  const tally = new Tally()
  const { startUs, lines } = await findStart(observationsOf(options, tally))
  const shiftUs = rebaseToMs === null ? 0 : rebaseToMs * 1000 - startUs
  const startedMs = now()
  let batch: ReplaySample[] = []
  const flush = async () => {
    if (batch.length === 0) return
    const sent = batch
    batch = []
    tally.addResponse(await options.send(sent))
    options.onProgress(tally.summary())
  }
  for await (const observations of lines) {
    for (const observation of observations) {
      const waitMs = speed === null ? 0 : startedMs + dueMs(observation, startUs, speed) - now()
      if (waitMs > 0) {
        await flush()
        await sleep(waitMs)
      }
      batch.push(toSample({ ...observation, timestamp: shiftTimestamp(observation.timestamp, shiftUs) }))
      if (batch.length >= batchSize) await flush()
    }
  }
  await flush()
  return tally.summary()
}

/**
 * Time after the start at which an observation is due: at whole seconds, so that at most one batch per second is sent.
 */
function dueMs({ atUs }: Observation, startUs: number, speed: number): number {
  return Math.ceil((atUs - startUs) / 1000 / speed / 1000) * 1000
}

/** Returns the observations of the device line by line, at the times of their delivery. */
async function* observationsOf(options: ReplayOptions, tally: Tally): AsyncIterable<readonly Observation[]> {
  const { device, devices = [device] } = options
  const parser = new ShdrParser({ devices, device })
  const order = new ArrivalOrder()
  const accept = (parsed: ParsedLine, line: string) => {
    if (parsed.faults.length > 0) options.onFaults?.(parsed.faults, line, tally.lines)
    for (const { code, detail } of parsed.faults) if (code === 'unknown_device') tally.addOther(detail)
    return parsed.observations.flatMap(observation => {
      if (observation.device !== device) tally.addOther(observation.device.name)
      return observation.device === device ? [observation] : []
    })
  }
  for await (const line of options.lines) {
    tally.lines++
    const parsed = parser.parse(line, null)
    if (parsed === null) continue
    const own = accept(parsed, line ?? '')
    if (own.length === 0) {
      tally.passedOver++
      continue
    }
    const delivered = own.flatMap(observation => order.accept(observation) ?? [])
    tally.addDelivered(delivered, own.length - delivered.length, order.backwards)
    if (delivered.length > 0) yield delivered
  }
  accept(parser.end(), '')
}

/** Limit of the names that are counted: an invalid log may have a new one in each line. */
const maxNames = 10_000

class Tally {
  lines = 0
  passedOver = 0
  #accepted = 0
  #duplicates = 0
  #backwards = 0
  readonly #rejected = new Map<string, number>()
  readonly #unknownKeys = new Map<string, number>()
  readonly #otherDevices = new Map<string, number>()

  addDelivered(observations: readonly Observation[], duplicates: number, backwards: number): void {
    for (const { key, item } of observations) if (item === undefined) count(this.#unknownKeys, key, 1)
    this.#duplicates += duplicates
    this.#backwards = backwards
  }

  addOther(device: string): void {
    count(this.#otherDevices, device, 1)
  }

  addResponse({ accepted, rejectedByCode }: IngestResponse): void {
    this.#accepted += accepted
    for (const [code, samples] of Object.entries(rejectedByCode)) count(this.#rejected, code, samples)
  }

  summary(): ReplaySummary {
    return {
      lines: this.lines,
      passedOver: this.passedOver,
      accepted: this.#accepted,
      rejected: Object.fromEntries(this.#rejected),
      unknownKeys: Object.fromEntries(this.#unknownKeys),
      otherDevices: Object.fromEntries(this.#otherDevices),
      duplicates: this.#duplicates,
      backwards: this.#backwards,
    }
  }
}

function count(counted: Map<string, number>, name: string, times: number): void {
  const known = counted.get(name)
  if (known !== undefined || counted.size < maxNames) counted.set(name, (known ?? 0) + times)
}
