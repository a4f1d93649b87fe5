import type { Logger } from 'pino'
import type { Records } from '../../../processors/records/records.ts'
import type { Channel, CloseReason, LiveCode } from '../../../schema/requests/live.ts'
import type { Sample } from '../../../schema/sample.ts'
import type { LiveStatus } from '../../../schema/topics.ts'
import { Shares } from '../../../shared/shares.ts'
import type { ChannelCore } from '../channel.ts'
import { DiagnosticsChannel } from '../channels/diagnostics.ts'
import { StatusChannel } from '../channels/status.ts'
import { TimelineChannel } from '../channels/timeline.ts'
import { AccessWatch } from './access-watch.ts'
import { ConnectionAdmission, type AdmissionLimits, type ConnectionPermit } from './admission.ts'
import type { Connection, Receiver } from '../connection.ts'
import { LatestStatuses } from '../latest-statuses.ts'
import { LatestValues, type LiveValue, type ValueChange } from '../latest-values.ts'
import { LiveSession } from './session.ts'
import { Subscriber, type BufferLimits } from '../subscriber.ts'
import type { TokenCheck } from './token-check.ts'
import type { TimelineHistory } from '../timeline/ports.ts'
import type { TimelineLimits } from '../timeline/request.ts'
import { FutureValues } from '../future-values.ts'
import { ValueMemoryQuota } from '../value-memory-quota.ts'
import { FlushScheduler } from '../flush-scheduler.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import type { FreshnessPort } from '../../ports/ports.ts'

export interface LiveSettings {
  /** Limits of each subscriber's buffer. */
  readonly buffer: BufferLimits
  readonly commandsPerSecond: number
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
  told(sample: LiveValue, isChange: boolean): void
  /** Called before each run of samples: false if none of them has a subscriber. */
  wantsSamples(): boolean
  /** Missed data was read: any value may differ from the published one. */
  restored(): void
}

export interface LiveDeps extends FreshnessPort {
  readonly records: Records
  readonly checkToken: TokenCheck
  readonly history: TimelineHistory
  readonly clock: () => number
  readonly logger: Logger
  readonly settings: LiveSettings
}

/** Interval of the check for slow subscribers. */
const paceEveryMs = 1_000
/** Interval of the timeline's check for new documents. */
const timelineEveryMs = 500
/** Tolerated clock difference of machines, ms; a sample within it is not future-dated. */
const clockSkewMs = 1_000
/** Interval of the check for future-dated values whose time has come. Together with the skew, none is late. */
const aheadEveryMs = 500
/** Part of the memory quota of latest values that future-dated values may use in addition. */
const shareOfAhead = 1 / 8
/** Minimum interval of the log line about the memory quota. */
const roomEveryMs = 60_000

/** The live channels of this process, for all transports: the state of every machine, and its subscribers. */
export class Live {
  readonly statuses = new LatestStatuses()
  readonly values: LatestValues
  readonly valueQuota: ValueMemoryQuota
  readonly #ahead: FutureValues
  readonly #deps: LiveDeps
  readonly #scheduler = new FlushScheduler()
  readonly #sessions = new Set<LiveSession>()
  readonly #admission: ConnectionAdmission
  readonly #waiting: Shares
  readonly #troubles = new Map<LiveCode, string>()
  readonly #status: StatusChannel
  readonly #diagnostics: DiagnosticsChannel
  readonly #timeline: TimelineChannel
  readonly #cores: Readonly<Record<Channel, ChannelCore>>
  readonly #stops: (() => void)[]
  readonly #listeners = new Set<LiveListener>()
  readonly #access: AccessWatch<LiveSession>
  #toldTurnedDown = 0
  #restores = 0
  #isRestored = false

  constructor(deps: LiveDeps) {
    this.#deps = deps
    const { records, settings } = deps
    const isShared = () => records.companies().length > 1
    const companyOf = (machineRef: MachineRef) => records.machineByRef(machineRef)?.companyId ?? ''
    this.valueQuota = new ValueMemoryQuota({ bytes: settings.valuesBytes, companyOf, isShared })
    this.#ahead = new FutureValues({ bytes: settings.valuesBytes * shareOfAhead, companyOf, isShared })
    this.values = new LatestValues(this.valueQuota)
    this.#admission = new ConnectionAdmission(settings.admission, isShared)
    this.#waiting = new Shares({ room: deps.settings.waitingBytes })
    this.#status = new StatusChannel(deps.records, this.statuses)
    this.#diagnostics = new DiagnosticsChannel(deps.records, this.values)
    const limits = settings.timeline
    const subscriptions = new Shares({ room: settings.timelines, isShared })
    const ofTimeline = { values: this.values, scheduler: this.#scheduler, limits, subscriptions }
    this.#timeline = new TimelineChannel({ ...deps, ...ofTimeline })
    this.#cores = { status: this.#status, diagnostics: this.#diagnostics, timeline: this.#timeline }
    this.#access = new AccessWatch({ records, holders: this.#sessions, logger: deps.logger })
    this.#stops = [
      () => this.#access.stop(),
      every(paceEveryMs, () => this.#checkPaces()),
      every(paceEveryMs, () => this.#admission.closeLate(performance.now())),
      every(timelineEveryMs, () => void this.#timeline.tick()),
      every(aheadEveryMs, () => this.#publishDue()),
      every(roomEveryMs, () => this.#tellTurnedDown()),
    ]
  }

  get connections(): number {
    return this.#sessions.size
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

  /** Whether a connection from the address would be admitted. */
  hasRoom(address: string): boolean {
    return this.#admission.hasRoom(address)
  }

  /** Admits a new connection; null: a limit is reached. `close` is called when the service closes it. */
  admit(address: string, close: (reason: CloseReason) => void = () => undefined): ConnectionPermit | null {
    return this.#admission.enter(address, close)
  }

  /** Connects a client to a channel; returns the receiver of its commands. */
  connect(channel: Channel, permit: ConnectionPermit, connection: Connection): Receiver {
    const subscriber = new Subscriber(connection, this.#scheduler, this.#deps.settings.buffer)
    const { checkToken, clock, logger, requestFlush, settings } = this.#deps
    const { commandsPerSecond } = settings
    return new LiveSession(this.#cores[channel], permit, subscriber, {
      checkToken,
      clock,
      logger,
      requestFlush,
      commandsPerSecond,
      sessions: this.#sessions,
      troubles: this.#troubles,
      waiting: this.#waiting,
      accessChanges: () => this.#access.changes,
    })
  }

  /** Calls the listener for every sample after it is among the latest values; returns a function that removes it. */
  listen(listener: LiveListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether a subscriber needs every sample of a machine; otherwise only the newest of each metric is kept. */
  wantsEveryValue(machineRef: MachineRef): boolean {
    for (const listener of this.#listeners) if (listener.wantsSamples()) return true
    return this.#diagnostics.isFollowed(machineRef) || this.#timeline.isFollowed(machineRef)
  }

  /**
   * Publishes incoming samples. A future-dated sample is not a latest value before its time has come; the timeline
   * shows it at its time.
   */
  tellValues(samples: readonly Sample[]): void {
    const listeners = this.#listenersOfSamples()
    const untilUs = this.#untilUs()
    for (const sample of samples) {
      if (sample.atUs <= untilUs) this.#tellValue(sample, listeners)
      else {
        this.#ahead.add(sample)
        for (const listener of listeners) listener.told(sample, false)
      }
      this.#timeline.told(sample)
    }
  }

  /** The latest values of metrics that also have a future-dated sample, which is the latest one in the store. */
  *valuesHeldBack(): Iterable<LiveValue> {
    for (const ahead of this.#ahead.metrics()) {
      const latest = this.values.valueOf(ahead)
      if (latest) yield latest
    }
  }

  tellStatuses(statuses: readonly LiveStatus[]): void {
    for (const status of statuses) {
      if (this.statuses.apply(status)) this.#status.changed(status.machineRef)
      this.#timeline.documented(status.machineRef)
    }
  }

  /** Applies statuses that were read from the store when `told` statuses had been published. */
  restoreStatuses(statuses: readonly LiveStatus[], told: number): void {
    for (const status of statuses) if (this.statuses.restore(status, told)) this.#status.changed(status.machineRef)
  }

  /** Applies values that were read from the store; a value published since is newer. */
  restoreValues(values: Iterable<LiveValue>): void {
    const untilUs = this.#untilUs()
    for (const value of values) {
      if (value.atUs > untilUs) this.#ahead.restore(value)
      else this.#showChange(this.values.restore(value))
    }
  }

  /** Notifies the listeners that statuses and values of every machine were restored. */
  notifyRestored(): void {
    for (const listener of this.#listeners) listener.restored()
  }

  /** Reports a problem to all joined clients, and to clients that join until it ends. */
  reportProblem(code: LiveCode, message: string): void {
    this.#troubles.set(code, message)
    for (const session of this.#sessions) if (session.isJoined) session.send('channel_error', { code, message })
  }

  troubleIsOver(code: LiveCode): void {
    this.#troubles.delete(code)
  }

  /** The latest instant of samples that are not future-dated. */
  #untilUs(): number {
    return (this.#deps.clock() + clockSkewMs) * 1000
  }

  #listenersOfSamples(): readonly LiveListener[] {
    return [...this.#listeners].filter(listener => listener.wantsSamples())
  }

  #tellValue(value: LiveValue, listeners: readonly LiveListener[]): void {
    const change = this.values.apply(value)
    this.#showChange(change)
    for (const listener of listeners) listener.told(value, change !== null)
  }

  #showChange(change: ValueChange | null): void {
    if (change) this.#diagnostics.changed(change)
  }

  /** Publishes the values whose time has come. */
  #publishDue(): void {
    const due = this.#ahead.due(this.#untilUs())
    if (due.length === 0) return
    const listeners = this.#listenersOfSamples()
    try {
      for (const value of due) this.#tellValue(value, listeners)
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'Failed to send live values')
    }
  }

  #tellTurnedDown(): void {
    const { metrics, values } = this.valueQuota.turnedDown
    const ahead = this.#ahead.turnedDown
    if (metrics + values + ahead === this.#toldTurnedDown) return
    this.#toldTurnedDown = metrics + values + ahead
    const told = { metrics, values, ahead, bytes: this.valueQuota.bytes }
    this.#deps.logger.warn(told, 'Memory quota of live values exceeded: omitted new metrics, truncated long values')
  }

  /** Closes all connections, spread over the time, so that clients do not reconnect all at once. */
  async drain(withinMs: number): Promise<void> {
    const sessions = [...this.#sessions]
    const steps = Math.max(1, Math.floor(withinMs / drainStepMs))
    const each = Math.ceil(sessions.length / steps)
    for (let first = 0; first < sessions.length; first += each) {
      for (const session of sessions.slice(first, first + each)) session.subscriber.close('going_away')
      if (first + each < sessions.length) await new Promise(resolve => setTimeout(resolve, drainStepMs))
    }
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  #checkPaces(): void {
    const nowMs = performance.now()
    for (const session of this.#sessions) session.subscriber.checkPace(nowMs)
  }
}

const drainStepMs = 50

function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms)
  timer.unref()
  return () => clearInterval(timer)
}
