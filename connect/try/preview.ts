import type { LookupFunction } from 'node:net'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type { StateSettings } from '../../schema/records/machine.ts'
import { type PreviewUpdate, trialLimits, type TrialSample } from '../../schema/requests/connector-trial.ts'
import { shortenMessage } from '../../schema/error-text.ts'
import type { WireSample } from '../../schema/topics.ts'
import { withSignals } from '../../shared/async/join-signals.ts'
import { pause } from '../../shared/async/waiting.ts'
import { Position } from '../positions/position.ts'
import { findSourceError, type ReadSource, type SourceSecrets, type SourceSession } from '../source/source.ts'
import { newTotals } from '../source/totals.ts'
import { ConnectorTrial } from './try-connector.ts'
import { TrialMachines } from './trial-machines.ts'

/** Time between two updates, ms. */
const updateMs = 500

export interface PreviewOptions {
  /** An unsaved connector. */
  readonly connector: ConnectorRecord
  readonly secrets: SourceSecrets
  readonly read: ReadSource
  /** Rejects addresses outside the allowed networks. */
  readonly lookup: LookupFunction
  readonly settingsOf: (machineId: string) => StateSettings
  /** UTC ms. */
  readonly clock: () => number
  /** Ends the preview. */
  readonly signal: AbortSignal
}

/**
 * Reads a source over a connection of its own and yields what it would deliver, and the states of its machines, until the
 * source or the caller ends it or a limit of `trialLimits` is reached. Stores nothing.
 */
export async function* preview(options: PreviewOptions): AsyncGenerator<PreviewUpdate> {
  const run = new PreviewRun(options)
  const ended = run.run()
  try {
    let bytes = 0
    for (let isOver = false; !isOver;) {
      isOver = await Promise.race([ended.then(() => true), pause(updateMs, options.signal).then(() => false)])
      if (options.signal.aborted) return
      const update = run.takeUpdate()
      if (update === null) continue
      bytes += Buffer.byteLength(JSON.stringify(update))
      if (bytes > trialLimits.bytes) run.stop(`The preview has ended: it has sent ${trialLimits.bytes} bytes`)
      yield update
    }
  } finally {
    run.stop(null)
    await ended
  }
}

class PreviewRun {
  readonly #options: PreviewOptions
  readonly #machines: TrialMachines
  readonly #stopped = new AbortController()
  readonly #totals = newTotals()
  /** The newest sample of each machine and key since the last update. */
  #newest = new Map<string, TrialSample>()
  #sampleCount = 0
  /** Characters of the values and messages of the samples, which stay in memory until the end. */
  #chars = 0
  /** Resolves when the last body has been read. */
  #body: Promise<void> = Promise.resolve()
  #state: PreviewUpdate['state'] = 'connecting'
  #problem: string | null = null
  #last = ''

  constructor(options: PreviewOptions) {
    this.#options = options
    this.#machines = new TrialMachines(options.settingsOf)
  }

  /** Resolves when the source has ended. */
  async run(): Promise<void> {
    const timer = setTimeout(
      () => this.stop(`The preview has ended after ${trialLimits.seconds} s`),
      trialLimits.seconds * 1_000,
    )
    const state = await this.#read()
    clearTimeout(timer)
    this.#state = state
  }

  /** Ends the connection. */
  stop(problem: string | null): void {
    this.#problem = problem ?? this.#problem
    this.#stopped.abort()
  }

  /** Returns what has changed since the last call; null: nothing. */
  takeUpdate(): PreviewUpdate | null {
    const update = {
      state: this.#state,
      problem: this.#problem,
      sampleCount: this.#sampleCount,
      samples: [...this.#newest.values()],
      machines: [...this.#machines.read(this.#options.clock())],
      unmapped: this.#totals.unmapped,
    }
    this.#newest = new Map()
    const text = JSON.stringify(update)
    if (text === this.#last) return null
    this.#last = JSON.stringify({ ...update, samples: [] })
    return update
  }

  /** Returns the state after the end of the source. */
  async #read(): Promise<PreviewUpdate['state']> {
    try {
      const { read, signal } = this.#options
      await withSignals([signal, this.#stopped.signal], joined => read(this.#session(joined)))
      if (!this.#stopped.signal.aborted) this.#problem ??= 'The source has ended the connection'
      return this.#stopped.signal.aborted ? 'disabled' : 'disconnected'
    } catch (error) {
      if (this.#stopped.signal.aborted) return 'disabled'
      this.#problem = shortenMessage(error instanceof Error ? error.message : String(error))
      return findSourceError(error)?.state ?? 'disconnected'
    }
  }

  #session(signal: AbortSignal): SourceSession {
    const { connector, secrets, lookup, clock } = this.#options
    return {
      connector,
      secrets,
      lookup,
      clock,
      hasMachine: () => true,
      position: new Position('preview').startOf(connector.kind),
      notes: [],
      signal,
      totals: this.#totals,
      deliver: async samples => this.#add(samples),
      deliverBody: body => (this.#body = this.#addBody(body)),
      hasSpace: () => true,
      waitForSpace: () => this.#body,
      positionChanged: () => undefined,
      heard: () => undefined,
      report: state => (this.#state = state),
      sourceClock: () => undefined,
      lost: () => undefined,
      warn: message => (this.#problem = shortenMessage(message)),
    }
  }

  async #addBody(body: Buffer): Promise<void> {
    const trial = new ConnectorTrial(this.#options.connector, this.#options.clock())
    try {
      this.#add(await trial.posts(body))
    } catch (error) {
      this.#problem = shortenMessage(error instanceof Error ? error.message : String(error))
    }
  }

  #add(samples: readonly WireSample[]): void {
    const nowMs = this.#options.clock()
    for (const read of samples) {
      if (this.#stopped.signal.aborted) return
      // A copy: a text of a sample would keep the document of which it is a part, up to 64 MiB.
      const sample = structuredClone(read)
      if (!this.#machines.add(sample, nowMs)) continue
      this.#sampleCount++
      this.#chars += String(sample.value).length + (sample.message?.length ?? 0)
      this.#newest.set(`${sample.machineId}\n${sample.key}\n${sample.nativeCode ?? ''}`, sample)
      if (this.#sampleCount >= trialLimits.samples)
        this.stop(`The preview has ended: it has read ${trialLimits.samples} samples`)
      else if (this.#chars > trialLimits.bytes)
        this.stop(`The preview has ended: it has read values of ${trialLimits.bytes} characters`)
    }
  }
}
