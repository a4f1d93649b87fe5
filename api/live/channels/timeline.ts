import type { Logger } from 'pino'
import type { Records } from '../../../processors/records/records.ts'
import type { GetMetrics } from '../../../schema/requests/live.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { canonicalName } from '../../../schema/sample.ts'
import { FairQueue } from '../../../shared/fair-queue.ts'
import type { ChannelCore, Member } from '../channel.ts'
import { CommandFailed, unavailableCode } from '../failure.ts'
import type { LatestValues, LiveValue } from '../latest-values.ts'
import { parseGetMetrics } from '../parse.ts'
import { neverRejects } from '../../../shared/async/never-rejects.ts'
import type { Shares } from '../../../shared/shares.ts'
import type { LiveMetric } from '../metrics.ts'
import { DerivedSeries } from '../timeline/derived-series.ts'
import { PendingHistory } from '../timeline/pending-history.ts'
import type { MachineRange, TimelineHistory } from '../timeline/ports.ts'
import { liveTimelineRequest, type TimelineLimits, type LiveTimelineRequest } from '../timeline/request.ts'
import { TimelineSubscription } from '../timeline/timeline-subscription.ts'
import type { FlushScheduler } from '../flush-scheduler.ts'
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
export class TimelineChannel implements ChannelCore {
  readonly name = 'timeline'
  readonly commands = {
    get_metrics: (data: unknown) => {
      const asked = parseGetMetrics(data)
      return (member: Member) => this.#getMetrics(member, asked)
    },
  }
  readonly #deps: TimelineChannelDeps
  readonly #series: DerivedSeries
  readonly #missing: PendingHistory
  readonly #reads = new FairQueue(maxReads)
  /** By member, then by request id. */
  readonly #byMember = new Map<Member, Map<string, TimelineSubscription>>()
  readonly #byMachine = new Map<number, Set<TimelineSubscription>>()
  /** The company whose quota each request uses. */
  readonly #companies = new Map<TimelineSubscription, string>()

  constructor(deps: TimelineChannelDeps) {
    this.#deps = deps
    this.#series = new DerivedSeries(deps.history, deps.logger)
    this.#missing = new PendingHistory(deps.history, deps.logger)
  }

  /** Whether a machine's samples have a subscriber. */
  isFollowed(machineRef: MachineRef): boolean {
    return this.#byMachine.has(machineRef)
  }

  /** Receives a published sample. */
  told(sample: LiveValue): void {
    const subscriptions = this.#byMachine.get(sample.machineRef)
    if (subscriptions === undefined) return
    const metric = this.#deps.values.metrics.named(sample)
    for (const subscription of subscriptions) subscription.take(sample, metric)
    this.#series.touch(sample.machineRef)
  }

  /** A machine's documents have changed. */
  documented(machineRef: MachineRef): void {
    if (this.#byMachine.has(machineRef)) this.#series.touch(machineRef)
  }

  left(member: Member): void {
    for (const subscription of this.#byMember.get(member)?.values() ?? []) this.#forget(subscription)
    this.#byMember.delete(member)
  }

  /**
   * Runs periodically: sends what is new in the documents and what was missing in responses, and removes finished
   * requests.
   */
  async tick(): Promise<void> {
    const nowMs = this.#deps.clock()
    for (const [member, subscriptions] of this.#byMember) {
      for (const [id, subscription] of subscriptions)
        if (subscription.endsBefore(nowMs - lateMs) && !this.#missing.has(subscription))
          this.#end(member, id, subscription)
    }
    // It logs its failures, and is not awaited because it may take long.
    neverRejects(this.#missing.look())
    await this.#series.refresh(nowMs)
  }

  async #getMetrics(member: Member, asked: GetMetrics): Promise<unknown> {
    await member.subscriber.room()
    const nowMs = this.#deps.clock()
    const request = liveTimelineRequest(asked, this.#deps.limits, nowMs)
    const { machineId, requestId } = asked
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
      { machineRef: machine.ref, request, subscriber, scheduler, maxHeld: limits.samples },
      isSent,
    )
    const id = JSON.stringify(requestId ?? null)
    this.#begin(member, id, subscription)
    try {
      await this.#answer(subscription, machine, metrics)
      if (!member.isJoined) this.#end(member, id, subscription)
    } catch (error) {
      this.#end(member, id, subscription)
      throw withRequest(error, requestId)
    }
    if (request.endMs <= nowMs && !this.#missing.has(subscription)) this.#end(member, id, subscription)
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
    const wanted = wantedOf(request, metrics)
    const [samples, documented] = await this.#reads.run(machine.companyId, () =>
      Promise.all([
        history.samples(range, wanted, limits.samples + 1),
        subscription.series.length > 0 ? history.documented(range) : { spans: [], parts: [] },
      ]),
    )
    if (samples.length + subscription.held > limits.samples)
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
    const wanted = wantedOf(subscription.request, this.#metricsOf(machine.ref))
    const samples = await this.#reads.run(machine.companyId, () => history.samples(recent, wanted, limits.samples))
    for (const sample of samples) subscription.take(sample, values.metrics.named(sample))
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
    const subscriptions = this.#byMember.get(member) ?? new Map<string, TimelineSubscription>()
    const before = subscriptions.get(id)
    if (before) this.#end(member, id, before)
    else if (subscriptions.size >= maxSubscriptions)
      throw new CommandFailed('invalid_request', `Limit of ${maxSubscriptions} live requests reached`, {
        requestId: subscription.request.asked.requestId,
      })
    if (!this.#deps.subscriptions.take(member.companyId, 1))
      throw new CommandFailed('rate_limited', 'Limit of live requests of the company reached', {
        requestId: subscription.request.asked.requestId,
      })
    this.#companies.set(subscription, member.companyId)
    this.#byMember.set(member, subscriptions.set(id, subscription))
    const others = this.#byMachine.get(subscription.machineRef)
    if (others) others.add(subscription)
    else this.#byMachine.set(subscription.machineRef, new Set([subscription]))
  }

  #end(member: Member, id: string, subscription: TimelineSubscription): void {
    const subscriptions = this.#byMember.get(member)
    if (subscriptions?.get(id) === subscription) subscriptions.delete(id)
    this.#forget(subscription)
  }

  #forget(subscription: TimelineSubscription): void {
    const company = this.#companies.get(subscription)
    if (company !== undefined) this.#deps.subscriptions.give(company, 1)
    this.#companies.delete(subscription)
    const subscriptions = this.#byMachine.get(subscription.machineRef)
    subscriptions?.delete(subscription)
    if (subscriptions?.size === 0) this.#byMachine.delete(subscription.machineRef)
    this.#series.remove(subscription)
    this.#missing.remove(subscription)
  }
}

function wantedOf({ wanted }: LiveTimelineRequest, metrics: readonly LiveMetric[]): readonly LiveMetric[] {
  return metrics.filter(metric => wanted.some(each => each.matches(metric)))
}

/** Adds the id of the request to an error. */
function withRequest(error: unknown, requestId: unknown): unknown {
  if (error instanceof CommandFailed)
    return new CommandFailed(error.code, error.message, { ...error.failure, requestId })
  const code = unavailableCode(error)
  return code === null ? error : new CommandFailed(code, 'History is unavailable. Retry later.', { requestId })
}
