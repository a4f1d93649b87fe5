import type { Logger } from 'pino'
import type { Records } from '../../../processors/records/records.ts'
import type { GetMetrics } from '../../../schema/requests/live.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { canonicalName } from '../../../schema/sample.ts'
import { FairQueue } from '../../../shared/fair-queue.ts'
import { type ChannelDeclaration, machineScope, type Member } from './channel.ts'
import { CommandFailed, unavailableCode } from '../failure.ts'
import type { LatestValues, LiveValue } from '../values/latest-values.ts'
import { parseGetMetrics } from '../parse.ts'
import { crashOnRejection } from '../../../shared/async/crash-on-rejection.ts'
import type { Shares } from '../../../shared/shares.ts'
import type { LiveMetric } from '../values/metrics.ts'
import { DerivedSeries } from '../timeline/derived-series.ts'
import { PendingHistory } from '../timeline/pending-history.ts'
import type { MachineRange, TimelineHistory } from '../timeline/ports.ts'
import { liveTimelineRequest, type TimelineLimits, type LiveTimelineRequest } from '../timeline/request.ts'
import { TimelineSubscription } from '../timeline/timeline-subscription.ts'
import type { FlushScheduler } from '../outbox/flush-scheduler.ts'
import { type MachineRef, noCompany } from '../../../schema/refs.ts'

export interface TimelineChannelDeps {
  readonly records: Pick<Records, 'get' | 'company'>
  readonly values: LatestValues
  readonly history: TimelineHistory
  readonly scheduler: FlushScheduler
  readonly limits: TimelineLimits
  /** Live requests in this process, by company. */
  readonly subscriptions: Shares
  readonly clock: () => number
  readonly logger: Logger
}

/** Maximum number of live requests of one client. */
const maxSubscriptions = 64
/** Maximum number of concurrent reads of history; further ones wait, the companies in rotation. */
const maxReads = 8
/** Older samples are in the store. */
const recentMs = 600_000
/** Maximum delay of samples after the end of a range. */
const lateMs = 60_000

/** `timeline`: samples of a range, then new samples of it. */
export class TimelineChannel implements ChannelDeclaration {
  readonly name = 'timeline'
  readonly scope = machineScope
  readonly commands = {
    get_metrics: (data: unknown) => {
      const command = parseGetMetrics(data)
      return (member: Member) => this.#getMetrics(member, command)
    },
  }
  readonly #deps: TimelineChannelDeps
  readonly #series: DerivedSeries
  readonly #missing: PendingHistory
  readonly #reads = new FairQueue(maxReads)
  /** By member, then by request id. */
  readonly #byMember = new Map<Member, Map<string, TimelineSubscription>>()
  readonly #byMachine = new Map<number, Set<TimelineSubscription>>()
  /** Functions that release everything of a request. */
  readonly #ends = new Map<TimelineSubscription, () => void>()

  constructor(deps: TimelineChannelDeps) {
    this.#deps = deps
    this.#series = new DerivedSeries(deps.history, deps.logger)
    this.#missing = new PendingHistory(deps.history, deps.logger)
  }

  needsEverySample(machineRef: MachineRef): boolean {
    return this.#byMachine.has(machineRef)
  }

  samplePublished(sample: LiveValue): void {
    const subscriptions = this.#byMachine.get(sample.machineRef)
    if (subscriptions === undefined) return
    const metric = this.#deps.values.metrics.named(sample)
    for (const subscription of subscriptions) subscription.add(sample, metric)
    this.#series.touch(sample.machineRef)
  }

  /** A status follows from documents, which have changed then. */
  statusPublished(machineRef: MachineRef): void {
    if (this.#byMachine.has(machineRef)) this.#series.touch(machineRef)
  }

  left(member: Member): void {
    for (const subscription of this.#byMember.get(member)?.values() ?? []) this.#end(subscription)
    this.#byMember.delete(member)
  }

  /**
   * Runs periodically: sends what is new in the documents and what was missing in responses, and removes finished
   * requests.
   */
  async tick(): Promise<void> {
    const nowMs = this.#deps.clock()
    for (const subscription of this.#ends.keys())
      if (subscription.endsBefore(nowMs - lateMs) && !this.#missing.has(subscription)) this.#end(subscription)
    // It logs its failures, and is not awaited because it may take long.
    crashOnRejection(this.#missing.poll())
    await this.#series.refresh(nowMs)
  }

  async #getMetrics(member: Member, command: GetMetrics): Promise<unknown> {
    await member.subscriber.room()
    const nowMs = this.#deps.clock()
    const request = liveTimelineRequest(command, this.#deps.limits, nowMs)
    const { machineId, requestId } = command
    const machine = this.#deps.records.get('machine', member.companyId, machineId)
    if (machine === null)
      throw new CommandFailed('unknown_machine', `Unknown machine ${machineId}`, {
        machineIds: [machineId],
        requestId,
      })
    if (this.#isRecent(request)) await this.#deps.history.caughtUp()
    const metrics = this.#metricsOf(machine.ref)
    const isSent = (key: string) => metrics.some(metric => canonicalName(metric.key) === canonicalName(key))
    const { scheduler, limits } = this.#deps
    const { subscriber } = member
    const subscription = new TimelineSubscription(
      { machineRef: machine.ref, request, subscriber, scheduler, maxBuffered: limits.samples },
      isSent,
    )
    this.#begin(member, JSON.stringify(requestId ?? null), subscription)
    try {
      await this.#answer(subscription, machine, metrics)
      if (!member.isJoined) this.#end(subscription)
    } catch (error) {
      this.#end(subscription)
      throw withRequest(error, requestId)
    }
    if (request.endMs <= nowMs && !this.#missing.has(subscription)) this.#end(subscription)
    return { requestId: requestId ?? null }
  }

  async #answer(
    subscription: TimelineSubscription,
    machine: MachineRecord,
    metrics: readonly LiveMetric[],
  ): Promise<void> {
    const { history, limits, clock, values } = this.#deps
    const { request } = subscription
    const isWhole = !this.#isRecent(request) || (await history.caughtUp())
    const range = this.#rangeOf(request, machine, clock())
    const requested = matchingMetrics(request, metrics)
    const [samples, documented] = await this.#reads.run(machine.companyId, () =>
      Promise.all([
        history.samples(range, requested, limits.samples + 1),
        subscription.series.length > 0 ? history.documented(range) : { spans: [], parts: [] },
      ]),
    )
    if (samples.length + subscription.buffered > limits.samples)
      throw new CommandFailed(
        'invalid_request',
        `More than ${limits.samples} samples: request fewer metrics or a shorter range`,
      )
    if (!isWhole) {
      subscription.expectMissing()
      this.#missing.add(subscription, () => this.#sendMissing(subscription, machine, range))
    }
    subscription.cutOver(samples, documented, sample => values.metrics.named(sample))
    if (subscription.series.length > 0) this.#series.add(range.companyRef, subscription)
  }

  /** Reads again the samples that may not have been stored when the request was answered. */
  async #sendMissing(subscription: TimelineSubscription, machine: MachineRecord, range: MachineRange): Promise<void> {
    const { history, limits, values } = this.#deps
    const recent = { ...range, fromMs: Math.max(range.fromMs, range.nowMs - recentMs) }
    const requested = matchingMetrics(subscription.request, this.#metricsOf(machine.ref))
    const samples = await this.#reads.run(machine.companyId, () => history.samples(recent, requested, limits.samples))
    for (const sample of samples) subscription.add(sample, values.metrics.named(sample))
    subscription.historyCompleted()
  }

  #rangeOf(
    { fromMs, endMs }: LiveTimelineRequest,
    { ref: machineRef, companyId }: MachineRecord,
    nowMs: number,
  ): MachineRange {
    const companyRef = this.#deps.records.company(companyId)?.ref ?? noCompany
    return { companyRef, machineRef, fromMs, toMs: endMs, nowMs }
  }

  /** Whether some of its samples may not be stored yet. */
  #isRecent({ endMs }: LiveTimelineRequest): boolean {
    return endMs > this.#deps.clock() - recentMs
  }

  #metricsOf(machineRef: MachineRef): readonly LiveMetric[] {
    const metrics: LiveMetric[] = []
    this.#deps.values.each(machineRef, ({ metric }) => metrics.push(metric))
    return metrics
  }

  /** A request replaces one with the same id. */
  #begin(member: Member, id: string, subscription: TimelineSubscription): void {
    const { companyId } = member
    const { machineRef, request } = subscription
    const { requestId } = request.command
    const ofMember = this.#byMember.get(member) ?? new Map<string, TimelineSubscription>()
    const before = ofMember.get(id)
    if (before) this.#end(before)
    else if (ofMember.size >= maxSubscriptions)
      throw new CommandFailed('invalid_request', `Limit of ${maxSubscriptions} live requests reached`, { requestId })
    if (!this.#deps.subscriptions.reserve(companyId, 1))
      throw new CommandFailed('rate_limited', 'Limit of live requests of the company reached', { requestId })
    const ofMachine = this.#byMachine.get(machineRef) ?? new Set<TimelineSubscription>()
    this.#byMember.set(member, ofMember.set(id, subscription))
    this.#byMachine.set(machineRef, ofMachine.add(subscription))
    this.#ends.set(subscription, () => {
      this.#deps.subscriptions.release(companyId, 1)
      if (ofMember.get(id) === subscription) ofMember.delete(id)
      ofMachine.delete(subscription)
      if (ofMachine.size === 0) this.#byMachine.delete(machineRef)
      this.#series.remove(subscription)
      this.#missing.remove(subscription)
    })
  }

  #end(subscription: TimelineSubscription): void {
    this.#ends.get(subscription)?.()
    this.#ends.delete(subscription)
  }
}

function matchingMetrics({ selectors }: LiveTimelineRequest, metrics: readonly LiveMetric[]): readonly LiveMetric[] {
  return metrics.filter(metric => selectors.some(each => each.matches(metric)))
}

/** Adds the id of the request to an error. */
function withRequest(error: unknown, requestId: unknown): unknown {
  if (error instanceof CommandFailed)
    return new CommandFailed(error.code, error.message, { ...error.failure, requestId })
  const code = unavailableCode(error)
  return code === null ? error : new CommandFailed(code, 'History is unavailable. Retry later.', { requestId })
}
