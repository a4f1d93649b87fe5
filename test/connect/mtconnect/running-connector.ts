import { isDeepStrictEqual } from 'node:util'
import { assert } from 'chai'
import { readAgent } from '../../../connect/mtconnect/read-agent.ts'
import { allowedLookup, requireAllowed } from '../../../connect/run/allowed-lookup.ts'
import { ClockSkew } from '../../../connect/run/clock-skew.ts'
import { decodePositions, Position } from '../../../connect/positions/position.ts'
import { type Gap, SourceError, type SourceSecrets, type SourceSession } from '../../../connect/source/source.ts'
import { newTotals } from '../../../connect/source/totals.ts'
import type { MtconnectAgent } from '../../../demo/mtconnect-agent/agent.ts'
import { type ConnectorRecord, defaultConnectorOptions } from '../../../schema/records/connector.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { Notifier, pause } from '../../../shared/async/waiting.ts'

const id = '22222222-2222-4222-8222-222222222222'
const waitMs = 120_000

export interface RunningOptions {
  readonly machines: ConnectorRecord['machines']
  readonly options?: Partial<ConnectorRecord['options']>
  readonly secrets?: SourceSecrets
  readonly sourceId?: string
  /** UTC ms. */
  readonly clock: () => number
  /** Addresses that sockets may use; by default all. */
  readonly isAllowed?: (address: string) => boolean
}

/** Returns the text that identifies a sample, as ingest recognizes duplicates. */
export function identityOf(sample: WireSample): string {
  const { machineId, instanceId, sequence, key, timestamp, type, subtype = '', value, nativeCode = '' } = sample
  const parts = sequence === undefined ? [timestamp, type, subtype, String(value), nativeCode] : [instanceId, sequence]
  return JSON.stringify([machineId, key, ...parts])
}

/**
 * A connector of an agent, with the log and the stored positions that it writes to. It connects again after each error,
 * and can be killed: then it continues from the stored position.
 */
export class RunningConnector {
  /** Samples in the log, without those that ingest recognizes as duplicates. */
  readonly log = new Map<string, WireSample>()
  /** Number of samples in the log, with duplicates. */
  appended = 0
  readonly totals = newTotals()
  readonly gaps: Gap[] = []
  readonly warnings: string[] = []
  readonly skew = new ClockSkew()
  clockReadings = 0
  /** `clockReadings` when samples were last passed to the connector. */
  readingsAtDelivery = 0
  readonly errors: SourceError[] = []
  readonly states: string[] = []
  heard = 0
  /** Whether the log acknowledges samples. Others wait, and are lost if the connector is killed. */
  isLogAvailable = true
  /** Whether less samples wait than the limit. */
  hasSpace = true
  /** Whether positions are stored. */
  storesPositions = true
  readonly #address: string
  readonly #options: RunningOptions
  readonly #stored = new Map<string, Buffer>()
  #position = new Position(id)
  readonly #space = new Notifier()
  #abort = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #waiting: { readonly append: () => void; readonly reject: (error: Error) => void }[] = []

  constructor(address: string, options: RunningOptions) {
    this.#address = address
    this.#options = options
  }

  start(): void {
    this.#abort = new AbortController()
    this.#position = decodePositions(new Map(this.#stored)).get(id) ?? new Position(id)
    this.#running = this.#run(this.#abort.signal)
  }

  /** Ends the connector; what the log has not acknowledged is lost. */
  async kill(): Promise<void> {
    this.#abort.abort()
    for (const { reject } of this.#takeWaiting()) reject(new Error('The connector stops'))
    await this.#running
  }

  /** Replaces the stored head by JSON of another shape. */
  damagePosition(): void {
    for (const key of this.#stored.keys())
      if (key.endsWith('/head')) this.#stored.set(key, Buffer.from(JSON.stringify({ kind: null, head: { next: [] } })))
  }

  /** Makes the log available again. */
  resumeLog(): void {
    this.isLogAvailable = true
    for (const { append } of this.#takeWaiting()) append()
  }

  addSpace(): void {
    this.hasSpace = true
    this.#space.ring()
  }

  /** Number of deliveries that wait for the log. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves when all observations of the agent are in the log, and a connector that was killed has found no further ones. */
  async readAll(agent: Pick<MtconnectAgent, 'instanceId' | 'next'>): Promise<void> {
    const isRead = () => {
      const head: unknown = this.#position.head
      const expected = { instanceId: agent.instanceId, next: String(agent.next) }
      return !this.#position.isBehind && isDeepStrictEqual({ ...Object(head), ...expected }, head)
    }
    await this.until(isRead, 'the position is not the end of the buffer')
  }

  /** Resolves when a condition is true. */
  async until(isTrue: () => boolean, problem: string): Promise<void> {
    const endMs = performance.now() + waitMs
    while (!isTrue()) {
      const details = JSON.stringify({ head: this.#position.head, errors: this.errors.slice(-3).map(String) })
      if (performance.now() > endMs) assert.fail(`${problem}: ${details} ${this.warnings.join('\n')}`)
      await pause(2)
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let i = 0; !signal.aborted; i++) {
      if (i > 0) this.totals.reconnects++
      try {
        requireAllowed(this.#address, this.#options.isAllowed ?? (() => true))
        await readAgent(this.#session(signal))
      } catch (error) {
        if (!(error instanceof SourceError)) throw error
        this.errors.push(error)
      }
      await pause(5, signal)
    }
  }

  #session(signal: AbortSignal): SourceSession {
    const { machines, options = {}, secrets = {}, sourceId = id, clock, isAllowed = () => true } = this.#options
    const connector: ConnectorRecord = {
      id,
      companyId: 'company',
      name: 'Agent',
      kind: 'mtconnect',
      address: this.#address,
      enabled: true,
      sourceId,
      machines,
      rules: [],
      options: { ...defaultConnectorOptions, start: 'buffer', intervalMs: 10, sourceHeartbeatMs: 60, ...options },
      secrets: {},
    }
    return {
      connector,
      secrets,
      position: this.#position,
      notes: [],
      signal,
      clock,
      hasMachine: () => true,
      lookup: allowedLookup(isAllowed),
      totals: this.totals,
      deliver: samples => this.#deliver(samples, signal),
      deliverBody: () => assert.fail('an agent sends no bodies'),
      hasSpace: () => this.hasSpace,
      waitForSpace: () => (this.hasSpace ? Promise.resolve() : this.#space.wait()),
      positionChanged: () => this.#store(),
      heard: () => this.heard++,
      report: state => {
        if (this.states.at(-1) !== state) this.states.push(state)
      },
      sourceClock: atMs => {
        this.skew.add(atMs, clock())
        this.clockReadings++
      },
      lost: gap => {
        this.gaps.push(gap)
        this.totals.gaps++
        this.totals.lost += gap.lost ?? 0
      },
      warn: message => this.warnings.push(message),
    }
  }

  #takeWaiting() {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  #deliver(samples: readonly WireSample[], signal: AbortSignal): Promise<void> {
    this.readingsAtDelivery = this.clockReadings
    if (signal.aborted) return Promise.reject(new Error('The connector stops'))
    return new Promise((resolve, reject) => {
      const append = () => {
        this.#append(samples)
        resolve()
      }
      if (this.isLogAvailable) append()
      else this.#waiting.push({ append, reject })
    })
  }

  #append(samples: readonly WireSample[]): void {
    for (const sample of samples) {
      const identity = identityOf(sample)
      const known = this.log.get(identity)
      if (known !== undefined) assert.deepEqual(sample, known, 'samples with one identity are equal')
      this.log.set(identity, sample)
    }
    this.appended += samples.length
    this.totals.samples += samples.length
  }

  #store(): void {
    if (!this.storesPositions) return
    for (const { key, value } of this.#position.takeChanges()) this.#stored.set(key ?? '', Buffer.from(value))
  }
}
