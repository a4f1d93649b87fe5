import type { ConnectorHealth, ConnectorState } from '../../schema/connector-health.ts'
import { shortenMessage } from '../../schema/error-text.ts'
import { minuteMs, secondMs } from '../../shared/time/units.ts'
import { newTotals } from '../source/totals.ts'
import type { Gap } from '../source/source.ts'

export interface HealthOptions {
  readonly owner: string
  /** UTC ms. */
  readonly clock: () => number
  /** Called after each change of the state. */
  readonly onState: () => void
}

/** State and health of one connector, in memory. */
export class Health {
  readonly totals = newTotals()
  readonly #options: HealthOptions
  #state: ConnectorState = 'connecting'
  #sinceMs: number
  #lastHeardMs: number | null = null
  #lastError: ConnectorHealth['lastError'] = null
  #lastGap: ConnectorHealth['lastGap'] = null
  /** Observations at earlier calls of `read`, of about a minute, at most one per second. */
  #counts: (readonly [atMs: number, observations: number])[]

  constructor(options: HealthOptions) {
    this.#options = options
    this.#sinceMs = options.clock()
    this.#counts = [[this.#sinceMs, 0]]
  }

  get state(): ConnectorState {
    return this.#state
  }

  set(state: ConnectorState): void {
    if (state === this.#state) return
    this.#state = state
    this.#sinceMs = this.#options.clock()
    this.#options.onState()
  }

  heard(atMs: number): void {
    this.#lastHeardMs = atMs
  }

  /** A source chooses parts of its messages: only the first 1,000 characters count. */
  failed(message: string): void {
    this.#lastError = { atMs: this.#options.clock(), message: shortenMessage(message) }
  }

  lost({ fromMs, toMs, lost }: Gap): void {
    this.totals.gaps++
    this.totals.lost += lost ?? 0
    this.#lastGap = { fromMs, toMs, lost }
  }

  /** Returns the health now. */
  read(waitingBytes: number): ConnectorHealth {
    const nowMs = this.#options.clock()
    const { observations } = this.totals
    const [fromMs, from] = this.#counts[0] ?? [nowMs, observations]
    this.#counts = this.#counts.filter(([atMs]) => atMs > nowMs - minuteMs)
    if (nowMs - (this.#counts.at(-1)?.[0] ?? 0) >= secondMs) this.#counts.push([nowMs, observations])
    return {
      state: this.#state,
      sinceMs: this.#sinceMs,
      owner: this.#options.owner,
      lastHeardMs: this.#lastHeardMs,
      lastError: this.#lastError,
      observationsPerSecond: nowMs > fromMs ? ((observations - from) * 1000) / (nowMs - fromMs) : 0,
      totals: { ...this.totals, rejected: { ...this.totals.rejected } },
      waitingBytes,
      lastGap: this.#lastGap,
    }
  }
}
