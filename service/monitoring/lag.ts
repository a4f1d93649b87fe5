import type { Log } from '../../log/log.ts'
import type { Progress, RebuildProgress } from '../../schema/topics.ts'
import type { Records } from '../../processors/records/records.ts'
import { every } from '../../shared/async/every.ts'
import type { LiveFeed } from '../live/feed.ts'
import type { ForwardedOffsets } from '../live/forwarded-offsets.ts'
import { maxRawFlushIntervalMs } from '../live/flush-intervals.ts'
import { type OffsetReading, readOffsets } from './read-offsets.ts'
import { Watermark } from './watermark.ts'

/** Data that reports do not contain yet. */
export interface Lag {
  /**
   * Number of samples, state samples and machine-hours that reports do not contain yet; 0: reports contain every
   * accepted sample.
   */
  readonly records: number
  /** Age, in seconds, of the latest time up to which reports contain every accepted sample; 0 if `records` is 0. */
  readonly seconds: number
}

/** Lag of reports, and the backlog of processors. */
export interface Lags {
  readonly lag: Lag
  /**
   * Lag of the current hours and of those that were just completed. Samples of older hours count only until they are
   * consumed.
   */
  readonly liveLag: Lag
  readonly backlog: Backlog
}

/** Data that processors have not recomputed yet. */
interface Backlog {
  /** Number of machine-hours, and of alarm instances without an id. */
  readonly hours: number
  /** Number of machine-days that reports read from hourly documents until their day documents are rebuilt. */
  readonly days: number
}

/** Measures the lag of reports. */
export interface LagMeter {
  /** Measures the lag with the current offsets of the log. */
  measure(): Promise<Lags>
  last(): Lags
  /** Returns the hours in recomputation that the processors last published. */
  recomputing(): Recomputing
  /** Returns the age of the data of reports, in ms, for their header `Takt-Lag-Ms`. */
  lastMs(): number
  stop(): void
}

/** Machine-hours in recomputation. */
export interface Recomputing {
  readonly dirtyHours: number
  /** Start of the recomputation, UTC ms; null: none is in progress. */
  readonly sinceMs: number | null
  /** Progress of rebuilds, by partition of state samples. */
  readonly rebuilds: ReadonlyMap<number, readonly RebuildProgress[]>
}

const everyMs = 500
/** Samples that wait longer than this are rejected by the store: twice the maximum flush interval of raw samples. */
const maxInsertWaitMs = 2 * maxRawFlushIntervalMs

/**
 * Measures the lag of the pipeline from the offsets of the log and the progress of processors. Raw samples that wait
 * for their insert count as `records`, but not as `seconds` if `forwarded` covers them, because reports read documents.
 * If samples wait for more than a minute, the store rejects inserts, and they count as `seconds` too.
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
  const liveSinceMs = () => Math.min(...Array.from(progress.values(), each => each.liveSinceMs ?? Infinity))
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
    const { reading, forwardedTo } = await readOffsets({ log, clock, forwarded })
    // This watermark covers only the inserts of samples, so processors are left out.
    const waitedMs = stored.add({ ...reading, stateSamplesEnd: [], stateSamplesClean: new Map() })
    const lagOf = (
      left: CountRemaining,
      mark: Watermark,
      done: ReadonlyMap<number, number>,
      sinceMs = Infinity,
    ): Lag => {
      const records = countBehind(reading, (partition, end) => left(progress.get(partition), end, recordsOffset()))
      const ageMs = mark.add({ ...reading, samplesDone: forwardedTo, stateSamplesClean: done })
      const olderMs = Math.max(ageMs, waitedMs > maxInsertWaitMs ? waitedMs : 0, reading.nowMs - sinceMs)
      return { records, seconds: records === 0 ? 0 : olderMs / 1000 }
    }
    last = {
      lag: lagOf(countRemaining, watermark, clean),
      liveLag: lagOf(countLiveRemaining, liveWatermark, live, liveSinceMs()),
      backlog: { hours: dirtyHours(), days: sumOf(each => each.staleDays) },
    }
    return last
  }

  const stopTimer = every(everyMs, () =>
    measure().then(
      () => undefined,
      () => undefined,
    ),
  )
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
      stopTimer()
      forget()
    },
  }
}

function countBehind(
  { samplesEnd, samplesDone, stateSamplesEnd }: OffsetReading['reading'],
  remainingOf: (partition: number, end: number) => number,
): number {
  const samples = samplesEnd.reduce((sum, end, partition) => sum + Math.max(0, end - (samplesDone[partition] ?? 0)), 0)
  return stateSamplesEnd.reduce((sum, end, partition) => sum + remainingOf(partition, end), samples)
}

/**
 * Returns the remaining work of one partition of state samples, up to the ends of the topics of state samples and of
 * records.
 */
type CountRemaining = (of: Progress | undefined, end: number, recordsOffset: number) => number

/** If a processor has published no progress, all records count. */
const countRemaining: CountRemaining = (of, end, recordsOffset) =>
  of ? Math.max(0, end - of.nextOffset) + of.dirtyHours + Math.max(0, recordsOffset - of.recordsOffset) : end + 1

const countLiveRemaining: CountRemaining = (of, end, recordsOffset) =>
  of ? Math.max(0, end - of.liveOffset) + of.liveDirtyHours + Math.max(0, recordsOffset - of.recordsOffset) : end + 1
