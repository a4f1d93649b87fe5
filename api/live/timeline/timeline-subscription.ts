import type { TimelineSample } from '../../../schema/requests/live.ts'
import type { Frame } from '../frame.ts'
import type { LiveMetric } from '../metrics.ts'
import type { Subscriber } from '../subscriber.ts'
import type { Flushable, FlushScheduler } from '../flush-scheduler.ts'
import { timelineFrame, type Tagged } from './answer.ts'
import type { Observation } from './ports.ts'
import type { LiveTimelineRequest, SeriesSelector } from './request.ts'
import { identityOf, SampleDeduplicator } from './seen.ts'
import type { Documented } from './synthesized.ts'
import { SynthesizedSeries } from './synthesized-series.ts'
import type { MachineRef } from '../../../schema/refs.ts'

/**
 * One request of one client. `catchUp`: its past is being read, and live samples are buffered; `cutOver` sends both,
 * each sample once; `live`: samples are sent on arrival.
 */
type Phase = 'catchUp' | 'live'

interface Told {
  readonly sample: Observation
  readonly metric: LiveMetric
}

interface TaggedSeries {
  readonly tag: string
  readonly series: SynthesizedSeries
}

export class TimelineSubscription implements Flushable {
  readonly machineRef: MachineRef
  readonly request: LiveTimelineRequest
  readonly series: readonly TaggedSeries[]
  readonly #subscriber: Subscriber
  readonly #scheduler: FlushScheduler
  readonly #seen = new SampleDeduplicator()
  readonly #tagsOf = new WeakMap<LiveMetric, readonly string[]>()
  readonly #maxHeld: number
  #isOverfull = false
  #phase: Phase = 'catchUp'
  #held: Told[] = []
  #pending = new Map<string, TimelineSample[]>()
  isQueued = false

  /** `isSent`: whether the machine itself sends a key of that name, which then is not synthesized. */
  constructor(
    {
      machineRef,
      request,
      subscriber,
      scheduler,
      maxHeld,
    }: Pick<TimelineSubscription, 'machineRef' | 'request'> & {
      readonly subscriber: Subscriber
      readonly scheduler: FlushScheduler
      /** Maximum number of samples that are held while the history is read; with more, the request fails. */
      readonly maxHeld: number
    },
    isSent: (key: string) => boolean,
  ) {
    this.machineRef = machineRef
    this.request = request
    this.#subscriber = subscriber
    this.#scheduler = scheduler
    this.#maxHeld = maxHeld
    this.series = request.wanted.flatMap(({ tag, synthesized }) =>
      synthesized
        .filter(({ key }) => !isSent(key))
        .map(metric => ({ tag, series: new SynthesizedSeries(metric, request.fromMs) })),
    )
  }

  /** Whether its range ends before this instant. */
  endsBefore(ms: number): boolean {
    return this.request.endMs < ms
  }

  /** Start of the documents that the next update needs. */
  get documentedFromMs(): number {
    return Math.min(...this.series.map(({ series }) => series.fromMs))
  }

  /** Receives a live sample, or one that was missing before. */
  take(sample: Observation, metric: LiveMetric): void {
    if (this.#tags(metric).length === 0 || !this.#isInRange(sample.atUs / 1000)) return
    if (this.#phase === 'catchUp') this.#hold({ sample, metric })
    else if (this.#seen.add(sample)) this.#put(sample, metric)
  }

  /** Number of samples that are held until the history has been read; Infinity: too many. */
  get held(): number {
    return this.#isOverfull ? Infinity : this.#held.length
  }

  /**
   * Part of the history is not available yet: records the sent samples, so that `take` sends only the missing ones.
   * Call it before `cutOver`.
   */
  expectMissing(): void {
    this.#seen.remember(2 * this.#maxHeld)
  }

  /** The complete history was sent. */
  historyCompleted(): void {
    this.#seen.remember(0)
  }

  /** The past has been read: sends it together with the buffered samples. */
  cutOver(past: readonly Observation[], documented: Documented, metricOf: (sample: Observation) => LiveMetric): void {
    const told = this.#withHeld(past, metricOf)
    this.#phase = 'live'
    this.#held = []
    for (const { tag } of this.request.wanted) this.#pending.set(tag, [])
    for (const { sample, metric } of told) this.#put(sample, metric)
    this.takeDocumented(documented)
    this.#subscriber.answer(this.#takeFrame())
  }

  /** Documents have been read that may contain new samples. */
  takeDocumented(documented: Documented): void {
    for (const { tag, series } of this.series) {
      for (const sample of series.next(documented)) if (this.#isInRange(sample.startUnixMs)) this.#add(tag, sample)
    }
  }

  /** Sends the new samples under their tags. */
  flush(): void {
    if (this.#pending.size > 0 && !this.#subscriber.isClosed) this.#subscriber.push(this.#takeFrame())
  }

  #hold(told: Told): void {
    if (this.#isOverfull) return
    this.#held.push(told)
    if (this.#held.length <= this.#maxHeld) return
    this.#isOverfull = true
    this.#held = []
  }

  #takeFrame(): Frame {
    const tagged: Tagged = this.#pending
    this.#pending = new Map()
    return timelineFrame(this.request, tagged)
  }

  #withHeld(past: readonly Observation[], metricOf: (sample: Observation) => LiveMetric): readonly Told[] {
    const heldOnce = new Map(this.#held.map(told => [identityOf(told.sample), told]))
    for (const sample of past) heldOnce.delete(identityOf(sample))
    for (const sample of past.slice(-this.#seen.most / 2)) this.#seen.add(sample)
    for (const { sample } of this.#held) this.#seen.add(sample)
    const read = past.map(sample => ({ sample, metric: metricOf(sample) }))
    return [...read, ...heldOnce.values()].sort((a, b) => a.sample.atUs - b.sample.atUs)
  }

  #put({ atUs, key, type, subtype, value }: Observation, metric: LiveMetric): void {
    const startUnixMs = Math.floor(atUs / 1000)
    for (const tag of this.#tags(metric)) this.#add(tag, { key, value, type, subtype, startUnixMs })
  }

  #add(tag: string, sample: TimelineSample): void {
    const pending = this.#pending.get(tag)
    if (pending) pending.push(sample)
    else this.#pending.set(tag, [sample])
    if (!this.isQueued) this.#scheduler.add(this)
  }

  #isInRange(ms: number): boolean {
    return ms >= this.request.fromMs && ms < this.request.endMs
  }

  #tags(metric: LiveMetric): readonly string[] {
    let tags = this.#tagsOf.get(metric)
    if (tags === undefined) {
      tags = this.request.wanted.filter((wanted: SeriesSelector) => wanted.matches(metric)).map(({ tag }) => tag)
      this.#tagsOf.set(metric, tags)
    }
    return tags
  }
}
