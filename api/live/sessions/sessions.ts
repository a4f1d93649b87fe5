import type { Logger } from 'pino'
import type { Records } from '../../../processors/records/records.ts'
import type { RecordKind } from '../../../schema/records/record-kinds.ts'
import { every } from '../../../shared/async/every.ts'
import { Shares } from '../../../shared/shares.ts'
import { FlushScheduler } from '../outbox/flush-scheduler.ts'
import { ConnectionAdmission, type AdmissionLimits } from '../limits/connection-admission.ts'
import type { OpenSession, SessionHost } from './session.ts'
import type { LiveCaller, TokenCheck } from './token-check.ts'

export interface SessionsOptions {
  readonly records: Pick<Records, 'onChange' | 'companies'>
  readonly checkToken: TokenCheck
  readonly clock: () => number
  readonly logger: Logger
  readonly admission: AdmissionLimits
  /** Maximum memory of all waiting commands in bytes. */
  readonly waitingBytes: number
}

/** Kinds of records on which tokens depend. */
const accessKinds: ReadonlySet<RecordKind> = new Set(['key', 'user', 'session'])
/** Interval of the check for expired tokens. */
const tokensEveryMs = 15_000
/** Interval of the checks for slow subscribers and for connections that have not joined. */
const paceEveryMs = 1_000
const drainStepMs = 50

/**
 * The open sessions of this process, of all protocols, with the limits that they share. Verifies tokens again when a
 * record on which they depend changes, and regularly for their expiry.
 */
export class Sessions implements SessionHost {
  readonly open = new Set<OpenSession>()
  readonly scheduler = new FlushScheduler()
  readonly admission: ConnectionAdmission
  readonly waiting: Shares
  readonly checkToken: TokenCheck
  readonly clock: () => number
  readonly logger: Logger
  readonly #stops: readonly (() => void)[]
  #accessChanges = 0

  constructor({ records, checkToken, clock, logger, admission, waitingBytes }: SessionsOptions) {
    this.checkToken = checkToken
    this.clock = clock
    this.logger = logger
    this.admission = new ConnectionAdmission(admission, () => records.companies().length > 1)
    this.waiting = new Shares({ limit: waitingBytes })
    this.#stops = [
      records.onChange(({ kind, id }) => {
        if (!accessKinds.has(kind)) return
        this.#accessChanges++
        this.#recheck(({ standsFor }) => standsFor.includes(id))
      }),
      every(tokensEveryMs, () => this.#recheck(({ tokenEndsAtMs }) => tokenEndsAtMs !== null)),
      every(paceEveryMs, () => this.#checkPaces(performance.now())),
    ]
  }

  get accessChanges(): number {
    return this.#accessChanges
  }

  /** The open sessions of one protocol. */
  of<Kind extends OpenSession>(protocol: abstract new (...args: never[]) => Kind): readonly Kind[] {
    return [...this.open].filter((session): session is Kind => session instanceof protocol)
  }

  /** Closes all connections, spread over the time, so that clients do not reconnect all at once. */
  async drain(withinMs: number): Promise<void> {
    const sessions = [...this.open]
    const steps = Math.max(1, Math.floor(withinMs / drainStepMs))
    const each = Math.ceil(sessions.length / steps)
    for (let first = 0; first < sessions.length; first += each) {
      for (const session of sessions.slice(first, first + each)) session.end('going_away')
      if (first + each < sessions.length) await new Promise(resolve => setTimeout(resolve, drainStepMs))
    }
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  #recheck(concerns: (caller: LiveCaller) => boolean): void {
    for (const session of this.open) {
      if (session.caller === null || !concerns(session.caller)) continue
      session.recheck().catch((error: unknown) => this.logger.error({ err: error }, 'Failed to verify token'))
    }
  }

  #checkPaces(nowMs: number): void {
    for (const { subscriber } of this.open) subscriber.checkPace(nowMs)
    this.admission.closeLate(nowMs)
  }
}
