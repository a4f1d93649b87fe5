import type {
  ConnectorBuffer,
  ConnectorHealth,
  ConnectorState,
  ConnectorWarning,
} from '../../schema/connector-health.ts'
import { shortenMessage } from '../../schema/error-text.ts'
import { minuteMs, secondMs } from '../../shared/time/units.ts'
import { newTotals } from '../source/totals.ts'
import type { Gap } from '../source/source.ts'
import { ClockSkew } from './clock-skew.ts'
import { NewestSamples, type NewestTimes } from './newest-samples.ts'

export interface HealthOptions {
  readonly owner: string
  /** `options.timeOffsetMs` of the connector. */
  readonly timeOffsetMs: number
  /** UTC ms. */
  readonly clock: () => number
  /** Called after each change of the state. */
  readonly onState: () => void
}

/** Time after a connection in which a source without a clock sends present values with the times since when they hold, ms. */
const presentMs = 5_000

/** State and health of one connector, in memory. */
export class Health {
  readonly totals = newTotals()
  readonly #options: HealthOptions
  #state: ConnectorState = 'connecting'
  #sinceMs: number
  #unavailableSinceMs: number | null
  #lastHeardMs: number | null = null
  #lastError: ConnectorHealth['lastError'] = null
  #lastGap: ConnectorHealth['lastGap'] = null
  readonly #skew = new ClockSkew()
  readonly #newest = new NewestSamples()
  #warning: ConnectorWarning | null = null
  /** Observations at earlier calls of `read`, of a minute, at most one per second. */
  readonly #counts: (readonly [atMs: number, observations: number])[]

  constructor(options: HealthOptions) {
    this.#options = options
    this.#sinceMs = options.clock()
    this.#unavailableSinceMs = this.#sinceMs
    this.#counts = [[this.#sinceMs, 0]]
  }

  get state(): ConnectorState {
    return this.#state
  }

  set(state: ConnectorState): void {
    if (state === this.#state) return
    this.#state = state
    this.#sinceMs = this.#options.clock()
    if (state === 'connected' || state === 'catching_up') this.#unavailableSinceMs = null
    else this.#unavailableSinceMs ??= this.#sinceMs
    this.#options.onState()
  }

  heard(atMs: number): void {
    this.#lastHeardMs = atMs
  }

  /**
   * Returns the time to which those of samples that were read now are compared, UTC ms: of the source's clock as it was
   * last read, with its offset, otherwise of the own clock. null: they are not live.
   */
  liveMs(): number | null {
    if (this.#state !== 'connected') return null
    const nowMs = this.#options.clock()
    const { lastMs } = this.#skew
    if (lastMs !== null) return nowMs + lastMs + this.#options.timeOffsetMs
    return nowMs - this.#sinceMs < presentMs ? null : nowMs
  }

  /** Samples with these times were delivered. `liveMs`: of the time at which they were read. */
  delivered(times: NewestTimes, liveMs: number | null): void {
    this.#newest.add(times, liveMs)
  }

  /** The source's clock shows a time now, UTC ms. Returns the warning if it has just become wrong; otherwise null. */
  sourceClock(atMs: number): ConnectorWarning | null {
    this.#skew.add(atMs, this.#options.clock())
    const timeOffsetMs = this.#skew.proposedOffsetMs(this.#options.timeOffsetMs)
    const isNew = this.#warning === null
    this.#warning = timeOffsetMs === null ? null : clockWarning(timeOffsetMs)
    return isNew ? this.#warning : null
  }

  /** A source chooses parts of its messages: only the first characters of a long message count. */
  failed(message: string): void {
    this.#lastError = { atMs: this.#options.clock(), message: shortenMessage(message) }
  }

  lost({ fromMs, toMs, lost }: Gap): void {
    this.totals.gaps++
    this.totals.lost += lost ?? 0
    this.#lastGap = { fromMs, toMs, lost }
  }

  /** Returns the health now. `buffer`: of the connector on disk; null: it has none. */
  read(waitingBytes: number, buffer: ConnectorBuffer | null = null): ConnectorHealth {
    const nowMs = this.#options.clock()
    const { observations } = this.totals
    while ((this.#counts[1]?.[0] ?? nowMs) <= nowMs - minuteMs) this.#counts.shift()
    const [fromMs, from] = this.#counts[0] ?? [nowMs, observations]
    if (nowMs - (this.#counts.at(-1)?.[0] ?? 0) >= secondMs) this.#counts.push([nowMs, observations])
    return {
      state: this.#state,
      sinceMs: this.#sinceMs,
      unavailableSinceMs: this.#unavailableSinceMs,
      owner: this.#options.owner,
      lastHeardMs: this.#lastHeardMs,
      lastError: this.#lastError,
      observationsPerSecond: ((observations - from) * secondMs) / Math.max(nowMs - fromMs, minuteMs),
      totals: { ...this.totals, rejected: { ...this.totals.rejected } },
      waitingBytes,
      buffer,
      skewMs: this.#skew.skewMs,
      lagMs: this.#lagMs(nowMs),
      lastSamples: this.#newest.entries(),
      warnings: this.#warning === null ? [] : [this.#warning],
      lastGap: this.#lastGap,
    }
  }

  /** Samples have the times of the source and its offset; a source that reports no time has that of the own clock. */
  #lagMs(nowMs: number): number | null {
    const { skewMs } = this.#skew
    const { newestMs } = this.#newest
    const sourceMs = skewMs === null ? nowMs : nowMs + skewMs + this.#options.timeOffsetMs
    return newestMs === null ? null : sourceMs - newestMs
  }
}

function clockWarning(timeOffsetMs: number): ConnectorWarning {
  return {
    code: 'clock_skew',
    message: `The clock of the source differs by ${-timeOffsetMs / 1000} s: correct it, or set options.timeOffsetMs to ${timeOffsetMs}`,
    timeOffsetMs,
  }
}
