import type { TargetName } from '../../processors/records/delivery-table.ts'
import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { NewDelivery, NoticeName } from '../../schema/commands/delivery-commands.ts'
import { type DeliveryRecord, isUndecided, maxDeliveryNotices } from '../../schema/records/delivery.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { inSizedParts } from '../../shared/collections/in-sized-parts.ts'
import { instantText } from '../../shared/time/instant.ts'
import { dayMs, minuteMs } from '../../shared/time/units.ts'
import { type PlannedDelivery, planDeliveries } from '../deliveries/plan-deliveries.ts'
import { type AttemptResult, type DueAttempt, TargetQueue } from '../deliveries/target-queue.ts'
import type { WaitingNotice } from '../deliveries/waiting-notice.ts'
import type { MessageSender } from './message-sender.ts'
import { type TargetNotices, targetNotices } from './target-notices.ts'
import type { WaitingIncidents } from './waiting-incidents.ts'

export interface TargetWorkerDeps {
  readonly records: Records
  readonly waiting: Pick<WaitingIncidents, 'ofTarget'>
  readonly commands: Pick<CommandClient, 'submit'>
  readonly sender: Pick<MessageSender, 'send'>
  /** Limit of the deliveries of a target per UTC minute. */
  readonly perMinute: number
  readonly clock: () => number
}

/** The partition of a target, which this process owns since an instant, UTC ms. */
export interface OwnedTarget {
  readonly partition: number
  readonly fence: number
  readonly sinceMs: number
}

/** Outcome of an attempt that is not stored yet. */
interface Unrecorded {
  readonly id: string
  readonly result: AttemptResult
}

/** Limit of the notices and comments of the incidents that a command changes, UTF-16 units: the log accepts a record of 8 MiB. */
const maxCommandChars = 2_000_000
const noticeChars = 250

/** Number of waiting notices above which they are planned at intervals only. */
const maxPlannedAtOnce = 100
const planEveryMs = 1_000

/**
 * Sends to one target: creates the deliveries that are due, then makes their attempts one by one. The record of a
 * delivery precedes its message.
 */
export class TargetWorker {
  readonly #target: TargetName
  readonly #owned: OwnedTarget
  readonly #deps: TargetWorkerDeps
  readonly #queue = new TargetQueue()
  readonly #stopped = new AbortController()
  #planAtMs = -Infinity
  /** Earliest time of the next plan, by `performance.now()`. */
  #mayPlanAtMs = -Infinity
  #attemptAtMs = -Infinity
  #unrecorded: Unrecorded | null = null
  /** Whether the queue has all undecided deliveries. */
  #isQueued = false

  constructor(target: TargetName, owned: OwnedTarget, deps: TargetWorkerDeps) {
    this.#target = target
    this.#owned = owned
    this.#deps = deps
  }

  get target(): TargetName {
    return this.#target
  }

  get partition(): number {
    return this.#owned.partition
  }

  get fence(): number {
    return this.#owned.fence
  }

  /** Instant at which the worker has something to do, UTC ms. */
  get dueMs(): number {
    const planAtMs = performance.now() < this.#mayPlanAtMs ? Infinity : this.#planAtMs
    return Math.min(planAtMs, this.#attemptAtMs)
  }

  /** Notes that the waiting notices, or what decides about them, may have changed. */
  changed(): void {
    this.#planAtMs = -Infinity
  }

  /** Aborts the attempt that is in progress: the next owner repeats it. */
  stop(): void {
    this.#stopped.abort()
  }

  /**
   * Creates the deliveries that are due and makes one attempt: other targets follow. Rejects if a command fails.
   * Do not call it again before it has resolved.
   */
  async run(): Promise<void> {
    const { clock } = this.#deps
    if (this.#unrecorded) await this.#record(this.#unrecorded)
    if (performance.now() >= this.#mayPlanAtMs && this.#planAtMs <= clock()) await this.#plan()
    if (!this.#isQueued) this.#enqueueAll()
    if (this.#stopped.signal.aborted) return
    const next = this.#queue.next(clock())
    this.#attemptAtMs = 'delivery' in next ? -Infinity : next.dueMs
    if ('delivery' in next) await this.#attempt(next)
  }

  /** Notes that `run` failed: it may be called again after a delay, ms. */
  retryIn(delayMs: number): void {
    const atMs = this.#deps.clock() + delayMs
    this.#planAtMs = atMs
    this.#attemptAtMs = atMs
  }

  async #plan(): Promise<void> {
    const nowMs = this.#deps.clock()
    this.#planAtMs = Infinity
    const { waiting, dropped } = await this.#collect(nowMs)
    const { due, nextMs } = this.#planned(waiting, nowMs)
    this.#planAtMs = Math.min(this.#planAtMs, nextMs)
    try {
      const shareOf = (notice: NoticeName) => this.#shareOf(notice)
      const ofDropped = { length: Infinity, size: 1, sizeOf: shareOf }
      for (const some of inSizedParts(dropped, ofDropped)) await this.#create([], some)
      const ofDue = { ...ofDropped, sizeOf: ({ notices }: PlannedDelivery) => sumOf(notices.map(shareOf)) }
      for (const some of inSizedParts(due, ofDue)) await this.#create(some.map(toNewDelivery), [])
    } catch (error) {
      this.changed()
      throw error
    } finally {
      if (waiting.length + dropped.length > maxPlannedAtOnce) this.#mayPlanAtMs = performance.now() + planEveryMs
    }
  }

  /** Returns the part of a command that a notice uses, whose outcome contains the changed incident. */
  #shareOf({ incidentId }: NoticeName): number {
    const incident = this.#deps.records.get('incident', this.#target.companyId, incidentId)
    const notices = (incident?.notices.length ?? 0) * noticeChars
    const comments = sumOf(incident?.comments.map(({ text }) => text.length) ?? [])
    return Math.max(1 / maxDeliveryNotices, (notices + comments) / maxCommandChars)
  }

  /** Notices of this target; those of an incident are in their order. */
  async #collect(nowMs: number): Promise<TargetNotices> {
    const { records, waiting } = this.#deps
    const { companyId, targetId } = this.#target
    const pauses = records.list('alertPause', companyId).filter(({ endAt }) => Date.parse(endAt) > nowMs - 7 * dayMs)
    const found: { waiting: WaitingNotice[]; dropped: NoticeName[] } = { waiting: [], dropped: [] }
    const slice = new TimeSlice()
    for (const incident of waiting.ofTarget(this.#target)) {
      if (slice.isOver) await slice.next()
      const notices = targetNotices(incident, {
        targetId,
        steps: incident.ruleId === null ? [] : (records.get('alertRule', companyId, incident.ruleId)?.steps ?? []),
        pauses,
        machineGroupIds: records.machine(incident.subject.id)?.machineGroupIds ?? [],
        ownedSinceMs: this.#owned.sinceMs,
        nowMs,
      })
      found.waiting.push(...notices.waiting)
      found.dropped.push(...notices.dropped)
    }
    return found
  }

  /** Returns the deliveries that are due, and the instant at which the next one is, UTC ms; Infinity: there is none. */
  #planned(waiting: readonly WaitingNotice[], nowMs: number) {
    const { records, perMinute } = this.#deps
    const { companyId, targetId } = this.#target
    const target = records.get('alertTarget', companyId, targetId)
    const collectMs = target && target.kind !== 'webhook' ? target.collectMs : 0
    // No later notice joins a message that is due: there may be many that wait for the end of a pause.
    const notices = waiting.filter(({ readyMs }) => readyMs <= nowMs).toSorted((a, b) => a.readyMs - b.readyMs)
    const laterMs = waiting.reduce((ms, { readyMs }) => (readyMs > nowMs ? Math.min(ms, readyMs) : ms), Infinity)
    const fromMs = Math.floor((notices[0]?.readyMs ?? nowMs) / minuteMs) * minuteMs
    const created = records.deliveries
      .dueFrom(this.#target, instantText(fromMs))
      .map(({ ruleId, event, dueAt }) => ({ ruleId, event, dueMs: Date.parse(dueAt) }))
    const { due, nextMs } = planDeliveries({ targetId, notices, collectMs, perMinute, created, nowMs })
    return { due, nextMs: Math.min(nextMs ?? Infinity, laterMs + collectMs) }
  }

  async #create(deliveries: readonly NewDelivery[], dropped: readonly NoticeName[]): Promise<void> {
    const { companyId, targetId } = this.#target
    const payload = { ...this.#owner, targetId, deliveries, dropped }
    const wasQueued = this.#isQueued
    // A command that fails may be executed later.
    this.#isQueued = false
    resultOrThrow(await this.#deps.commands.submit('delivery.create', payload, { companyId }))
    if (!wasQueued) return
    for (const { id } of deliveries) {
      // Also a refused delivery: an earlier command may have created it.
      const delivery = this.#deps.records.get('delivery', companyId, id)
      if (delivery && isUndecided(delivery)) this.#enqueue(delivery)
    }
    this.#isQueued = true
  }

  #enqueueAll(): void {
    for (const each of this.#deps.records.deliveries.undecidedOfTarget(this.#target)) this.#enqueue(each)
    this.#isQueued = true
  }

  #enqueue({ id, incidentIds, createdAt }: DeliveryRecord): void {
    this.#queue.add({ id, incidentIds, createdMs: Date.parse(createdAt) }, this.#deps.clock())
  }

  async #attempt(attempt: DueAttempt): Promise<void> {
    const { records, sender, clock } = this.#deps
    const { id } = attempt.delivery
    const delivery = records.get('delivery', this.#target.companyId, id)
    if (!delivery) return this.#queue.remove(id)
    const { signal } = this.#stopped
    const outcome = await sender.send({ delivery, remaining: attempt.remaining, signal })
    // The next owner repeats an aborted attempt.
    if (signal.aborted && outcome.kind !== 'sent') return
    const result = this.#queue.record(attempt, outcome, clock())
    if (result.state !== 'failed' || delivery.state === 'pending') await this.#record({ id, result })
  }

  /** Stores an outcome; until that succeeds, no further attempt is made. */
  async #record(unrecorded: Unrecorded): Promise<void> {
    this.#unrecorded = unrecorded
    const { id, result } = unrecorded
    const { companyId } = this.#target
    const error = result.state === 'sent' ? result.note : result.error
    const disablesTarget = result.state === 'abandoned' && result.isGone
    const payload = { ...this.#owner, id, state: result.state, error, disablesTarget }
    resultOrThrow(await this.#deps.commands.submit('delivery.record', payload, { companyId }))
    this.#unrecorded = null
  }

  get #owner() {
    const { partition, fence } = this.#owned
    return { partition, fence }
  }
}

function toNewDelivery({ id, ruleId, event, step, repeat, dueMs, notices }: PlannedDelivery): NewDelivery {
  return {
    id,
    ruleId,
    event,
    step,
    repeat,
    dueAt: instantText(dueMs),
    notices: notices.map(({ incidentId, event, step, repeat }) => ({ incidentId, event, step, repeat })),
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
