import type { Logger } from 'pino'
import type { Records } from '../../../processors/records/records.ts'
import type { Channel, LiveCode } from '../../../schema/requests/live.ts'
import type { Sample } from '../../../schema/sample.ts'
import type { LiveStatus } from '../../../schema/topics.ts'
import { Shares } from '../../../shared/shares.ts'
import type { ChannelDeclaration } from '../channels/channel.ts'
import { createChannels } from '../channels/channels.ts'
import type { AdmissionLimits, ConnectionPermit } from '../limits/connection-admission.ts'
import type { Connection, Receiver } from '../outbox/connection.ts'
import { LatestStatuses } from '../values/latest-statuses.ts'
import { LatestValues, type LiveValue, type PublishedValue, type ValueChange } from '../values/latest-values.ts'
import { LiveSession, type LiveSessionDeps } from './live-session.ts'
import type { SessionLimits } from './session.ts'
import { Sessions } from './sessions.ts'
import type { TokenCheck } from './token-check.ts'
import type { TimelineHistory } from '../timeline/ports.ts'
import type { TimelineLimits } from '../timeline/request.ts'
import { FutureValues } from '../values/future-values.ts'
import { ValueMemoryQuota } from '../values/value-memory-quota.ts'
import { every } from '../../../shared/async/every.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import type { ConnectorsPort, FreshnessPort } from '../../ports/ports.ts'

export interface LiveSettings extends SessionLimits {
  readonly timeline: TimelineLimits
  readonly admission: AdmissionLimits
  /** Maximum memory of all waiting commands in bytes. */
  readonly waitingBytes: number
  /** Maximum memory of the latest values of all machines in bytes, in fair shares by company. */
  readonly valuesBytes: number
  /** Maximum number of live requests of the timeline, in fair shares by company. */
  readonly timelines: number
}

/** Receives published samples. */
export interface LiveListener {
  /**
   * `isChange`: the value differs from the previous latest one. A future-dated sample is published on arrival, with
   * false, and again when its time has come.
   */
  published(sample: LiveValue, isChange: boolean): void
  /** Called before each run of samples: false if none of them has a subscriber. */
  needsSamples(): boolean
  /** Missed data was read: any value may differ from the published one. */
  restored(): void
}

export interface LiveDeps extends FreshnessPort, Pick<ConnectorsPort, 'connectorHealth' | 'connectorSecrets'> {
  readonly records: Records
  readonly checkToken: TokenCheck
  readonly history: TimelineHistory
  readonly clock: () => number
  readonly logger: Logger
  readonly settings: LiveSettings
}

/** Interval of `ChannelDeclaration.tick`. */
const tickEveryMs = 500
/** Tolerated clock difference of machines, ms; a sample within it is not future-dated. */
const clockSkewMs = 1_000
/** Interval of the check for future-dated values whose time has come. Together with the skew, none is late. */
const futureEveryMs = 500
/** Part of the memory quota of latest values that future-dated values may use in addition. */
const futureShare = 1 / 8
/** Minimum interval of the log line about the memory quota. */
const quotaLogEveryMs = 60_000

/** The live channels of this process, for all transports: the state of every machine, and its subscribers. */
export class Live {
  readonly statuses = new LatestStatuses()
  readonly values: LatestValues
  readonly valueQuota: ValueMemoryQuota
  readonly sessions: Sessions
  readonly #future: FutureValues
  readonly #deps: LiveDeps
  readonly #problems = new Map<LiveCode, string>()
  readonly #sessionDeps: LiveSessionDeps
  readonly #channels: Readonly<Record<Channel, ChannelDeclaration>>
  /** The values of `#channels`. */
  readonly #declarations: readonly ChannelDeclaration[]
  readonly #stops: (() => void)[]
  readonly #listeners = new Set<LiveListener>()
  #loggedRejected = 0
  #restores = 0
  #isRestored = false

  constructor(deps: LiveDeps) {
    this.#deps = deps
    const { records, settings } = deps
    const isShared = () => records.companies().length > 1
    const companyOf = (machineRef: MachineRef) => records.machineByRef(machineRef)?.companyId ?? ''
    this.valueQuota = new ValueMemoryQuota({ bytes: settings.valuesBytes, companyOf, isShared })
    this.#future = new FutureValues({ bytes: settings.valuesBytes * futureShare, companyOf, isShared })
    this.values = new LatestValues(this.valueQuota)
    this.sessions = new Sessions({ ...deps, ...settings })
    this.#channels = createChannels({
      ...deps,
      values: this.values,
      statuses: this.statuses,
      scheduler: this.sessions.scheduler,
      limits: settings.timeline,
      subscriptions: new Shares({ limit: settings.timelines, isShared }),
    })
    this.#declarations = Object.values(this.#channels)
    this.#sessionDeps = { requestFlush: deps.requestFlush, problems: this.#problems }
    this.#stops = [
      () => this.sessions.stop(),
      records.onChange(change => {
        for (const channel of this.#declarations) channel.recordChanged?.(change)
      }),
      every(tickEveryMs, () => {
        for (const channel of this.#declarations) void channel.tick?.()
      }),
      every(futureEveryMs, () => this.#publishDue()),
      every(quotaLogEveryMs, () => this.#logRejected()),
    ]
  }

  /** Whether the values that were published before this process listened have been read. */
  get isRestored(): boolean {
    return this.#isRestored && this.#restores === 0
  }

  /** Starts a read of missed values; returns a function that reports its end. */
  startRestore(): (isDone: boolean) => void {
    this.#restores++
    return isDone => {
      this.#restores--
      this.#isRestored ||= isDone
    }
  }

  /** Connects a client to a channel; returns the receiver of its commands. */
  connect(channel: Channel, permit: ConnectionPermit, connection: Connection): Receiver {
    const client = { ...this.#deps.settings, connection, permit }
    return new LiveSession(this.#channels[channel], client, this.sessions, this.#sessionDeps)
  }

  /** Calls the listener for every sample after it is among the latest values; returns a function that removes it. */
  listen(listener: LiveListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether a subscriber needs every sample of a machine; otherwise only the newest of each metric is kept. */
  needsEveryValue(machineRef: MachineRef): boolean {
    for (const listener of this.#listeners) if (listener.needsSamples()) return true
    return this.#declarations.some(channel => channel.needsEverySample?.(machineRef) === true)
  }

  /**
   * Publishes incoming samples. A future-dated sample is not a latest value before its time has come; the timeline
   * shows it at its time.
   */
  publishValues(samples: readonly Sample[]): void {
    const listeners = this.#listenersOfSamples()
    const untilUs = this.#untilUs()
    for (const sample of samples) {
      if (sample.atUs <= untilUs) this.#publishValue(sample, listeners)
      else {
        this.#future.add(sample)
        for (const listener of listeners) listener.published(sample, false)
      }
      for (const channel of this.#declarations) channel.samplePublished?.(sample)
    }
  }

  /** The latest values of metrics that also have a future-dated sample, which is the latest one in the store. */
  *valuesBeforeFuture(): Iterable<LiveValue> {
    for (const future of this.#future.metrics()) {
      const latest = this.values.valueOf(future)
      if (latest) yield latest
    }
  }

  publishStatuses(statuses: readonly LiveStatus[]): void {
    for (const status of statuses) {
      const isChange = this.statuses.apply(status)
      for (const channel of this.#declarations) channel.statusPublished?.(status.machineRef, isChange)
    }
  }

  /** Applies statuses that were read from the store when `published` statuses had been published. */
  restoreStatuses(statuses: readonly LiveStatus[], published: number): void {
    for (const status of statuses)
      if (this.statuses.restore(status, published))
        for (const channel of this.#declarations) channel.statusPublished?.(status.machineRef, true)
  }

  /** Applies values that were read from the store; a value published since is newer. */
  restoreValues(values: Iterable<PublishedValue>): void {
    const untilUs = this.#untilUs()
    for (const value of values) {
      if (value.atUs > untilUs) this.#future.restore(value)
      else this.#showChange(this.values.restore(value))
    }
  }

  /** Notifies the listeners that statuses and values of every machine were restored. */
  notifyRestored(): void {
    for (const listener of this.#listeners) listener.restored()
  }

  /** Reports a problem to all joined clients, and to clients that join until it ends. */
  reportProblem(code: LiveCode, message: string): void {
    this.#problems.set(code, message)
    for (const session of this.sessions.of(LiveSession))
      if (session.isJoined) session.send('channel_error', { code, message })
  }

  endProblem(code: LiveCode): void {
    this.#problems.delete(code)
  }

  /** The latest instant of samples that are not future-dated. */
  #untilUs(): number {
    return (this.#deps.clock() + clockSkewMs) * 1000
  }

  #listenersOfSamples(): readonly LiveListener[] {
    return [...this.#listeners].filter(listener => listener.needsSamples())
  }

  #publishValue(value: PublishedValue, listeners: readonly LiveListener[]): void {
    const change = this.values.apply(value)
    this.#showChange(change)
    for (const listener of listeners) listener.published(value, change !== null)
  }

  #showChange(change: ValueChange | null): void {
    if (change) for (const channel of this.#declarations) channel.valueChanged?.(change)
  }

  /** Publishes the values whose time has come. */
  #publishDue(): void {
    const due = this.#future.due(this.#untilUs())
    if (due.length === 0) return
    const listeners = this.#listenersOfSamples()
    try {
      for (const value of due) this.#publishValue(value, listeners)
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'Failed to send live values')
    }
  }

  #logRejected(): void {
    const { metrics, values } = this.valueQuota.rejected
    const future = this.#future.rejected
    if (metrics + values + future === this.#loggedRejected) return
    this.#loggedRejected = metrics + values + future
    const rejected = { metrics, values, future, bytes: this.valueQuota.bytes }
    this.#deps.logger.warn(rejected, 'Memory quota of live values exceeded: omitted new metrics, truncated long values')
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }
}
