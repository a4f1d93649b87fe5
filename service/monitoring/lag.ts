import type { Log } from '../../log/log.ts'
import { groups, topics, type Progress, type RebuildProgress } from '../../schema/topics.ts'
import type { Records } from '../../processors/records/records.ts'
import type { LiveFeed } from '../live/feed.ts'
import type { ForwardedOffsets } from '../live/forwarded-offsets.ts'
import { mostRawRestMs } from '../live/rests.ts'
import { Watermark, type PipelineOffsets } from './watermark.ts'

export interface Lag {
  /** Samples, state samples and machine-hours on their way into the reports; 0: every accepted sample is in them. */
  readonly records: number
  /** Age in s of the newest moment up to which every accepted sample is in the reports; 0 where `records` is 0. */
  readonly seconds: number
}

/** How far the reports are behind, and what is left to make. */
export interface Lags {
  readonly lag: Lag
  /** Lag of the hours that are under way or just over. Samples of hours long ago count only until they are taken. */
  readonly liveLag: Lag
  readonly backlog: Backlog
}

/** Documents that the processors have yet to make again. */
interface Backlog {
  /** Machine-hours, and alarm instances without an id. */
  readonly hours: number
  /** Machines' days that reports take from hours meanwhile. */
  readonly days: number
}

export interface LagMeter {
  /** Asks the log; as exact as its answers. */
  measure(): Promise<Lags>
  /** The last measurement. */
  last(): Lags
  /** Hours that the processors are making again, as they told last. */
  recomputing(): Recomputing
  /** Its `seconds` in ms, for the header of reports. */
  lastMs(): number
  stop(): void
}

/** Machine-hours that are being made again. */
export interface Recomputing {
  readonly dirtyHours: number
  /** Since when there is any, UTC ms; null: there is none. */
  readonly sinceMs: number | null
  /** By partition of state samples. */
  readonly rebuilds: ReadonlyMap<number, readonly RebuildProgress[]>
}

const everyMs = 500
/** Twice the longest rest between inserts of raw samples. */
const waitedLongMs = 2 * mostRawRestMs

/**
 * Measures how far the pipeline is behind: by the log's offsets, and by what the processors tell of their work. Raw samples that wait for their insert
 * count as `records`, but make nothing older where `forwarded` tells of them: reports are made of documents. Where they wait for more than a
 * minute, the store takes none, and they count as `seconds`, too.
 */
export function createLagMeter(
  log: Log,
  feed: LiveFeed,
  records: Records,
  clock: () => number,
  forwarded: ForwardedOffsets | null = null,
): LagMeter {
  const progress = new Map<number, Progress>()
  const clean = new Map<number, number>()
  const live = new Map<number, number>()
  const sumOf = (of: (each: Progress) => number) => [...progress.values()].reduce((sum, each) => sum + of(each), 0)
  const dirtyHours = () => sumOf(each => each.dirtyHours)
  let dirtySinceMs: number | null = null
  const forget = feed.listen({
    progress(message) {
      progress.set(message.partition, message)
      live.set(message.partition, message.liveOffset)
      if (message.dirtyHours === 0) clean.set(message.partition, message.nextOffset)
      dirtySinceMs = dirtyHours() > 0 ? (dirtySinceMs ?? clock()) : null
    },
  })
  const watermark = new Watermark()
  const liveWatermark = new Watermark()
  const stored = new Watermark()
  const recordsOffset = () => records.offset
  const none: Lag = { records: 0, seconds: 0 }
  let last: Lags = { lag: none, liveLag: none, backlog: { hours: 0, days: 0 } }

  async function measure(): Promise<Lags> {
    const { reading, forwardedTo } = await read(log, clock, forwarded)
    // Nobody has anything left to do with what is stored.
    const waitedMs = stored.take({ ...reading, stateSamplesEnd: [], stateSamplesClean: new Map() })
    const lagOf = (left: LeftIn, taken: Watermark, done: ReadonlyMap<number, number>): Lag => {
      const records = countBehind(reading, (partition, end) => left(progress.get(partition), end, recordsOffset()))
      const ageMs = taken.take({ ...reading, samplesDone: forwardedTo, stateSamplesClean: done })
      const olderMs = waitedMs > waitedLongMs ? Math.max(ageMs, waitedMs) : ageMs
      return { records, seconds: records === 0 ? 0 : olderMs / 1000 }
    }
    last = {
      lag: lagOf(leftIn, watermark, clean),
      liveLag: lagOf(liveLeftIn, liveWatermark, live),
      backlog: { hours: dirtyHours(), days: sumOf(each => each.staleDays) },
    }
    return last
  }

  let isMeasuring = false
  const timer = setInterval(() => {
    // A log that is away answers late: questions must not pile up.
    if (isMeasuring) return
    isMeasuring = true
    measure()
      .catch(() => undefined)
      .finally(() => (isMeasuring = false))
  }, everyMs)
  timer.unref()
  return {
    measure,
    last: () => last,
    recomputing: () => ({
      dirtyHours: dirtyHours(),
      sinceMs: dirtySinceMs,
      rebuilds: new Map([...progress].map(([partition, { rebuilds }]) => [partition, rebuilds])),
    }),
    lastMs: () => Math.round(last.lag.seconds * 1000),
    stop: () => {
      clearInterval(timer)
      forget()
    },
  }
}

/** Asks in the order of the flow, so that nothing slips by between two questions. */
async function read(log: Log, clock: () => number, forwarded: ForwardedOffsets | null): Promise<Reading> {
  const nowMs = clock()
  const samplesEnd = await log.endOffsets(topics.samples)
  const samplesDone = await log.committed(groups.ingest, topics.samples)
  const forwardedTo = samplesEnd.map((_, partition) =>
    Math.max(samplesDone[partition] ?? 0, forwarded?.of(partition) ?? 0),
  )
  const stateSamplesEnd = await log.endOffsets(topics.stateSamples)
  return { reading: { nowMs, samplesEnd, samplesDone, stateSamplesEnd }, forwardedTo }
}

interface Reading {
  readonly reading: Omit<PipelineOffsets, 'stateSamplesClean'>
  /** By partition of the samples: up to where they are stored, or forwarded at least. */
  readonly forwardedTo: readonly number[]
}

function countBehind(
  { samplesEnd, samplesDone, stateSamplesEnd }: Omit<PipelineOffsets, 'stateSamplesClean'>,
  leftOf: (partition: number, end: number) => number,
): number {
  const samples = samplesEnd.reduce((sum, end, partition) => sum + Math.max(0, end - (samplesDone[partition] ?? 0)), 0)
  return stateSamplesEnd.reduce((sum, end, partition) => sum + leftOf(partition, end), samples)
}

/** Counts what one partition of state samples has left to do, up to the end of its topic and of the records. */
type LeftIn = (of: Progress | undefined, end: number, recordsOffset: number) => number

/** A processor that was not heard of yet may have anything left. */
const leftIn: LeftIn = (of, end, recordsOffset) =>
  of ? Math.max(0, end - of.nextOffset) + of.dirtyHours + Math.max(0, recordsOffset - of.recordsOffset) : end + 1

const liveLeftIn: LeftIn = (of, end, recordsOffset) =>
  of ? Math.max(0, end - of.liveOffset) + of.liveDirtyHours + Math.max(0, recordsOffset - of.recordsOffset) : end + 1
