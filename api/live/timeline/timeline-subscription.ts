import type { MetricDescriptor, TimelineSample } from '../../../schema/requests/live.ts'
import { Frame } from '../outbox/frame.ts'
import type { LiveMetric } from '../values/metrics.ts'
import type { Subscriber } from '../outbox/subscriber.ts'
import type { Flushable, FlushScheduler } from '../outbox/flush-scheduler.ts'
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

interface PublishedSample {
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
  readonly #maxBuffered: number
  #isOverfull = false
  #phase: Phase = 'catchUp'
  #buffered: PublishedSample[] = []
  #pending = new Map<string, TimelineSample[]>()
  isQueued = false

  /** `isSent`: whether the machine itself sends a key of that name, which then is not synthesized. */
  constructor(
    {
      machineRef,
      request,
      subscriber,
      scheduler,
      maxBuffered,
    }: Pick<TimelineSubscription, 'machineRef' | 'request'> & {
      readonly subscriber: Subscriber
      readonly scheduler: FlushScheduler
      /** Maximum number of samples that are buffered while the history is read; with more, the request fails. */
      readonly maxBuffered: number
    },
    isSent: (key: string) => boolean,
  ) {
    this.machineRef = machineRef
    this.request = request
    this.#subscriber = subscriber
    this.#scheduler = scheduler
    this.#maxBuffered = maxBuffered
    this.series = request.selectors.flatMap(({ tag, synthesized }) =>
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
  add(sample: Observation, metric: LiveMetric): void {
    if (this.#tags(metric).length === 0 || !this.#isInRange(sample.atUs / 1000)) return
    if (this.#phase === 'catchUp') this.#buffer({ sample, metric })
    else if (this.#seen.add(sample)) this.#put(sample, metric)
  }

  /** Number of samples that are buffered until the history has been read; Infinity: too many. */
  get buffered(): number {
    return this.#isOverfull ? Infinity : this.#buffered.length
  }

  /**
   * Part of the history is not available yet: records the sent samples, so that `add` sends only the missing ones.
   * Call it before `cutOver`.
   */
  expectMissing(): void {
    this.#seen.setCapacity(2 * this.#maxBuffered)
  }

  /** The complete history was sent. */
  historyCompleted(): void {
    this.#seen.setCapacity(0)
  }

  /** The past has been read: sends it together with the buffered samples. */
  cutOver(past: readonly Observation[], documented: Documented, metricOf: (sample: Observation) => LiveMetric): void {
    const samples = this.#withBuffered(past, metricOf)
    this.#phase = 'live'
    this.#buffered = []
    for (const { tag } of this.request.selectors) this.#pending.set(tag, [])
    for (const { sample, metric } of samples) this.#put(sample, metric)
    this.addDocumented(documented)
    this.#subscriber.respond(this.#removeFrame())
  }

  /** Documents have been read that may contain new samples. */
  addDocumented(documented: Documented): void {
    for (const { tag, series } of this.series) {
      for (const sample of series.next(documented)) if (this.#isInRange(sample.startUnixMs)) this.#add(tag, sample)
    }
  }

  /** Sends the new samples under their tags. */
  flush(): void {
    if (this.#pending.size > 0 && !this.#subscriber.isClosed) this.#subscriber.push(this.#removeFrame())
  }

  #buffer(sample: PublishedSample): void {
    if (this.#isOverfull) return
    this.#buffered.push(sample)
    if (this.#buffered.length <= this.#maxBuffered) return
    this.#isOverfull = true
    this.#buffered = []
  }

  #removeFrame(): Frame {
    const tagged = this.#pending
    this.#pending = new Map()
    return timelineFrame(this.request, tagged)
  }

  #withBuffered(
    past: readonly Observation[],
    metricOf: (sample: Observation) => LiveMetric,
  ): readonly PublishedSample[] {
    const bufferedOnce = new Map(this.#buffered.map(each => [identityOf(each.sample), each]))
    for (const sample of past) bufferedOnce.delete(identityOf(sample))
    for (const sample of past.slice(-this.#seen.capacity / 2)) this.#seen.add(sample)
    for (const { sample } of this.#buffered) this.#seen.add(sample)
    const read = past.map(sample => ({ sample, metric: metricOf(sample) }))
    return [...read, ...bufferedOnce.values()].sort((a, b) => a.sample.atUs - b.sample.atUs)
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
      tags = this.request.selectors.filter((selector: SeriesSelector) => selector.matches(metric)).map(({ tag }) => tag)
      this.#tagsOf.set(metric, tags)
    }
    return tags
  }
}

/** The `update` of a request, which repeats the descriptors of the request. */
function timelineFrame(
  { command, selectors }: LiveTimelineRequest,
  tagged: ReadonlyMap<string, TimelineSample[]>,
): Frame {
  const { machineId, startAt, endAt = null, requestId = null } = command
  const toJson = (metrics: MetricDescriptor, data: readonly TimelineSample[]) =>
    JSON.stringify({ machineId, startAt, endAt, requestId, metrics, data })
  // Not `Object.fromEntries`: a tag may be any string, such as `__proto__`.
  const members = selectors.flatMap(({ tag, descriptor }) => {
    const data = tagged.get(tag)
    return data === undefined ? [] : [`${JSON.stringify(tag)}:${toJson(descriptor, data)}`]
  })
  return new Frame('timeline', 'update', `{"data":{${members.join(',')}}}`)
}
