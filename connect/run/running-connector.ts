import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import type { Acceptor } from '../../ingest/accept/acceptor.ts'
import type { ConnectorHealth } from '../../schema/connector-health.ts'
import { shortenMessage } from '../../schema/error-text.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { assignedMachines } from '../../schema/records/connector-machines.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type { WireSample } from '../../schema/topics.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { backOffMs } from '../../shared/async/retry.ts'
import { pause } from '../../shared/async/waiting.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { BufferedDelivery } from '../buffer/buffered-delivery.ts'
import type { Buffers } from '../buffer/buffers.ts'
import type { SampleBuffer } from '../buffer/sample-buffer.ts'
import type { Position } from '../positions/position.ts'
import type { Note } from '../source/note.ts'
import { findSourceError, type Gap, type ReadSource, SourceError, type SourceSecrets } from '../source/source.ts'
import type { ConnectSlots } from './connect-slots.ts'
import { Delivery } from './delivery.ts'
import { Health } from './health.ts'
import { Heartbeats } from './heartbeats.ts'
import type { PositionWriter } from './position-writer.ts'
import { newestTimesOf } from './newest-samples.ts'
import { openSession } from './session.ts'
import type { WaitingSamples } from './waiting-samples.ts'

/** Delays before a connection, ms: they double from the first to the last one. */
const reconnectMs = { first: 200, last: 30_000, afterRejection: 60_000 } as const
/** The delays begin again after a connection of this length, ms. */
const stableAfterMs = 10_000
/** Maximum times for the source to end, and for its last samples, ms. */
const stopWithin = { gracefulMs: 2_000, forcedMs: 3_000 } as const

/** Kinds whose sources keep nothing, or keep it until an acknowledgement: their samples go through a buffer on disk. */
const bufferedKinds: ReadonlySet<ConnectorRecord['kind']> = new Set(['shdr', 'mqtt'])

/** Parts that the connectors of a process share. */
export interface ConnectorPorts {
  readonly acceptor: Acceptor
  readonly waiting: WaitingSamples
  /** Buffers on disk; null: samples of all kinds wait in memory. */
  readonly buffers: Buffers | null
  readonly slots: ConnectSlots
  readonly lookup: LookupFunction
  /** Returns the secrets of a connector in clear text; rejects with a `SourceError` if their key or a file is missing. */
  readonly secretsOf: (record: ConnectorRecord) => Promise<SourceSecrets>
  /** Throws a `SourceError` if the address of a connector is not allowed. */
  readonly requireAllowed: (address: string | null) => void
  /** UTC ms. */
  readonly clock: () => number
  /** Random number from 0 to 1. */
  readonly random: () => number
  readonly owner: string
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** Parts of one connector. */
export interface ConnectorOptions {
  readonly record: ConnectorRecord
  readonly companyRef: CompanyRef
  readonly read: ReadSource
  readonly position: Position
  readonly writer: PositionWriter
  /** Whether the company has a machine. */
  readonly hasMachine: (id: string) => boolean
  readonly onState: () => void
}

/** Delivers samples through the memory, or through a buffer on disk. */
type OpenDelivery = Pick<BufferedDelivery, keyof BufferedDelivery>

/** Runs one connector: connects to its source again and again, and delivers what it reads. */
export class RunningConnector {
  readonly #ports: ConnectorPorts
  readonly #options: ConnectorOptions
  readonly #health: Health
  /** null: the file of the buffer could not be opened. */
  #delivery: OpenDelivery | null = null
  #buffer: SampleBuffer | null = null
  readonly #heartbeats: Heartbeats
  readonly #stopped = new AbortController()
  /** The last state that the source has reported; null: it is not connected. */
  #reported: 'catching_up' | 'connected' | null = null
  /** Writes the heartbeats of the machines of the last contact; null: there was none. */
  #beat: ((isDue: boolean) => void) | null = null
  readonly #running: Promise<void>

  constructor(ports: ConnectorPorts, options: ConnectorOptions) {
    this.#ports = ports
    this.#options = options
    const { record, position, writer } = options
    this.#health = new Health({ ...ports, timeOffsetMs: record.options.timeOffsetMs, onState: options.onState })
    this.#heartbeats = new Heartbeats({
      machineIds: [...new Set([...assignedMachines(record)].map(([, machineId]) => machineId))],
      intervalMs: record.options.heartbeatMs,
      position,
      deliver: samples => this.#openDelivery().deliver(samples),
      onStored: () => writer.changed(position),
    })
    this.#running = this.#run()
    // It reports failures.
    crashOnRejection(this.#running)
  }

  get record(): ConnectorRecord {
    return this.#options.record
  }

  health(): ConnectorHealth {
    const buffer = this.#buffer?.read() ?? null
    return this.#health.read(buffer?.bytes ?? this.#delivery?.bytes ?? 0, buffer)
  }

  /** Ends the connection, delivers what was read, and stores the position. */
  async stop(): Promise<void> {
    const { position, writer } = this.#options
    this.#stopped.abort()
    await withTimeout(
      stopWithin.gracefulMs,
      this.#running.then(() => this.#delivery?.drain()),
      () => undefined,
    )
    const isAbandoning = this.#delivery?.stop() ?? false
    position.isBehind ||= isAbandoning
    await withTimeout(stopWithin.forcedMs, this.#running, () => this.#warn('The source does not end'))
    await writer.flush(position).catch((error: unknown) => this.#warn(`The position was not stored: ${textOf(error)}`))
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    for (let failures = 0; !signal.aborted; failures++) {
      if (failures > 0) this.#health.totals.reconnects++
      const connectedMs = await this.#connect()
      if (signal.aborted) return
      if (connectedMs >= stableAfterMs) failures = 0
      await pause(this.#delayMs(failures), signal)
    }
  }

  #delayMs(failures: number): number {
    const { first, last, afterRejection } = reconnectMs
    const delayMs = this.#health.state === 'rejected' ? afterRejection : backOffMs(failures, first, last)
    return (delayMs * (1 + this.#ports.random())) / 2
  }

  /** Reads the source over one connection; returns how long it was connected, ms. */
  async #connect(): Promise<number> {
    const { read, record } = this.#options
    const { slots, requireAllowed, secretsOf } = this.#ports
    this.#health.set('connecting')
    let connectedMs = Infinity
    let [release, close] = [(): void => undefined, (): void => undefined]
    try {
      const delivery = this.#openDelivery()
      release = await slots.acquire()
      requireAllowed(record.address)
      const secrets = await secretsOf(record)
      if (this.#stopped.signal.aborted) return 0
      const opened = this.#openSession(delivery, secrets, () => {
        release()
        connectedMs = Math.min(connectedMs, performance.now())
      })
      close = opened.close
      await read(opened.session)
      this.#fail(new SourceError('The source has ended the connection'))
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#reported = null
      release()
      close()
    }
    const heldMs = Math.max(0, performance.now() - connectedMs)
    // The position must contain all samples of this connection before the next one continues there.
    await this.#delivery?.flush()
    return heldMs
  }

  /** Returns the delivery; opens the buffer on disk before. Throws a `SourceError` if its file cannot be opened. */
  #openDelivery(): OpenDelivery {
    const { buffers, clock } = this.#ports
    const { companyRef, position, record } = this.#options
    const observer = { totals: this.#health.totals, onProblem: (message: string) => this.#warn(message) }
    if (buffers === null || !bufferedKinds.has(record.kind))
      return (this.#delivery ??= new Delivery({ ...this.#ports, companyRef, ...observer }))
    if (this.#delivery !== null) return this.#delivery
    try {
      this.#buffer = buffers.of(position.id, companyRef)
    } catch (error) {
      throw new SourceError(`The buffer on disk cannot be opened: ${textOf(error)}`, 'disconnected', { cause: error })
    }
    const buffer = this.#buffer
    buffer.observe(observer)
    position.onStored = noted => buffer.forget(noted)
    return (this.#delivery = new BufferedDelivery(buffer, clock))
  }

  #openSession(delivery: OpenDelivery, secrets: SourceSecrets, onConnected: () => void) {
    const { record, position, writer, hasMachine } = this.#options
    const { clock, lookup } = this.#ports
    this.#beat = null
    return openSession({
      connector: record,
      secrets,
      position,
      notes: [...(this.#buffer?.notes ?? [])],
      signal: this.#stopped.signal,
      clock,
      hasMachine,
      lookup,
      totals: this.#health.totals,
      deliver: (samples, note) => this.#deliver(delivery, samples, note),
      deliverBody: body => delivery.deliverBody(body),
      hasSpace: () => delivery.hasSpace(),
      waitForSpace: () => delivery.waitForSpace(),
      positionChanged: () => writer.changed(position, () => this.#showReported()),
      onHeard: machineIds => {
        this.#health.heard(clock())
        this.#beat = isDue => this.#heartbeats.heard(clock(), isDue, machineIds)
        if (this.#health.state === 'connected') this.#beat(false)
      },
      onState: state => {
        onConnected()
        this.#reported = state
        this.#showReported()
      },
      sourceClock: atMs => {
        const warning = this.#health.sourceClock(atMs)
        if (warning !== null) this.#warn(warning.message)
      },
      lost: gap => this.#lose(gap),
      warn: message => this.#warn(message),
    })
  }

  #deliver(delivery: OpenDelivery, samples: readonly WireSample[], note: Note | undefined): Promise<void> {
    const times = newestTimesOf(samples, this.#ports.clock())
    const liveMs = this.#health.liveMs()
    const delivered = delivery.deliver(samples, note)
    delivered.then(
      () => this.#health.delivered(times, liveMs),
      // The source handles the rejection.
      () => undefined,
    )
    return delivered
  }

  /** Without a stored position, the next process begins with the present values: the connector is not connected before. */
  #showReported(): void {
    if (this.#reported === null) return
    const state = this.#options.position.isStored ? this.#reported : 'catching_up'
    if (state === 'connected' && this.#health.state !== 'connected') this.#beat?.(true)
    this.#health.set(state)
  }

  #lose(gap: Gap): void {
    this.#health.lost(gap)
    if (gap.isUncertain !== true) this.#heartbeats.lost(gap.toMs, gap.machineIds)
    this.#ports.logger.warn({ ...this.#names(), ...gap }, 'A connector lost observations')
  }

  #fail(error: unknown): void {
    if (this.#stopped.signal.aborted) return
    const failure = findSourceError(error)
    this.#health.failed(failure?.message ?? textOf(error))
    this.#health.set(failure?.state ?? 'disconnected')
    if (failure === null) this.#ports.logger.error({ ...this.#names(), err: error }, 'A connector failed')
  }

  #warn(message: string): void {
    this.#health.failed(message)
    this.#ports.logger.warn({ ...this.#names(), problem: shortenMessage(message) }, 'A connector has a problem')
  }

  #names() {
    const { companyId, id } = this.#options.record
    return { companyId, connector: id }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
