import type { Log } from '../../log/log.ts'
import { groups, topics, type Progress, type RebuildProgress } from '../../schema/topics.ts'
import type { Records } from '../../processors/records/records.ts'
import type { LiveFeed } from '../live/feed.ts'
import { Watermark, type Reading } from './watermark.ts'

export interface Lag {
  /** Samples, facts and machine-hours on their way into the reports; 0: every accepted sample is in them. */
  readonly records: number
  /** Age of the newest moment of which everything accepted until then is in them; 0 where `records` is. */
  readonly seconds: number
}

export interface LagMeter {
  /** Asks the log; as exact as its answers. */
  measure(): Promise<Lag>
  /** The last measurement. */
  last(): Lag
  /** What the processors told last of what they are making again. */
  recomputing(): Recomputing
  /** Its `seconds` in ms, for the header of reports. */
  lastMs(): number
  stop(): void
}

/** What is being made again, in machine-hours. */
export interface Recomputing {
  readonly dirtyHours: number
  /** Since when there is any, UTC ms; null: there is none. */
  readonly sinceMs: number | null
  /** By partition of facts. */
  readonly rebuilds: ReadonlyMap<number, readonly RebuildProgress[]>
}

const everyMs = 500

/** Measures how far the pipeline is behind: by the log's offsets, and by what the processors tell of their work. */
export function createLagMeter(log: Log, feed: LiveFeed, records: Records, clock: () => number): LagMeter {
  const progress = new Map<number, Progress>()
  const clean = new Map<number, number>()
  const dirtyHours = () => [...progress.values()].reduce((sum, each) => sum + each.dirtyHours, 0)
  let dirtySinceMs: number | null = null
  const forget = feed.listen({
    progress(message) {
      progress.set(message.partition, message)
      if (message.dirtyHours === 0) clean.set(message.partition, message.nextOffset)
      dirtySinceMs = dirtyHours() > 0 ? (dirtySinceMs ?? clock()) : null
    },
  })
  const watermark = new Watermark()
  let last: Lag = { records: 0, seconds: 0 }

  async function measure(): Promise<Lag> {
    const reading = await read(log, clock, clean)
    const behind = countBehind(reading, progress, records.offset)
    const ageMs = watermark.take(reading)
    last = { records: behind, seconds: behind === 0 ? 0 : ageMs / 1000 }
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
    lastMs: () => Math.round(last.seconds * 1000),
    stop: () => {
      clearInterval(timer)
      forget()
    },
  }
}

/** Asks in the order of the flow, so that nothing slips by between two questions. */
async function read(log: Log, clock: () => number, clean: ReadonlyMap<number, number>): Promise<Reading> {
  const nowMs = clock()
  const samplesEnd = await log.endOffsets(topics.samples)
  const samplesDone = await log.committed(groups.ingest, topics.samples)
  const factsEnd = await log.endOffsets(topics.facts)
  return { nowMs, samplesEnd, samplesDone, factsEnd, factsClean: clean }
}

function countBehind(reading: Reading, progress: ReadonlyMap<number, Progress>, recordsOffset: number): number {
  const { samplesEnd, samplesDone, factsEnd } = reading
  const samples = samplesEnd.reduce((sum, end, partition) => sum + Math.max(0, end - (samplesDone[partition] ?? 0)), 0)
  return factsEnd.reduce((sum, end, partition) => sum + behindIn(progress.get(partition), end, recordsOffset), samples)
}

/** What one facts partition has left to do; a processor not heard of yet may have anything. */
function behindIn(of: Progress | undefined, end: number, recordsOffset: number): number {
  if (!of) return end + 1
  return Math.max(0, end - of.nextOffset) + of.dirtyHours + Math.max(0, recordsOffset - of.recordsOffset)
}
