import { dayMs } from '../../shared/time/units.ts'
import type { Interval } from '../intervals/interval.ts'
import type { Span } from '../spans/spans.ts'
import type { KnownIncident } from './incident-change.ts'

/** Data older than this, before the limit, change no incident. */
export const horizonMs = 7 * dayMs

/** One evaluation of a rule for a subject. Instants are UTC ms. */
export interface Evaluation {
  /** All incidents of the rule and subject. */
  readonly incidents: readonly KnownIncident[]
  /** Spans up to the limit, in order. */
  readonly spans: readonly Span[]
  /** The spans without `activeFrom`, for incidents that opened before the rule was changed. */
  readonly spansWithoutActiveFrom: readonly Span[]
  readonly activeFromMs: number
  /** Evaluation limit E. */
  readonly limitMs: number
  /** Start of the time to match: incidents and spans that ended before stay. Default: `horizonMs` before the limit. */
  readonly fromMs?: number
  /** Highest limit of earlier evaluations; -Infinity: there is none. */
  readonly evaluatedToMs: number
  /** How long before the limit a span that is found late may have ended. */
  readonly lateMs: number
  readonly clockMs: number
  /** Whether new incidents may open: not for silence during a backlog, nor beyond the limit of a company. */
  readonly mayOpen: boolean
  /** For a stop with certain reasons: uncut intervals in which the machine is down with any reason, in order; otherwise empty. */
  readonly downs: readonly Interval[]
  /** Clock of the last change of a record of the machine; null: none. */
  readonly recordChangedMs: number | null
}

/** Returns the start of the time to match, UTC ms. */
export function matchedFromMs({ limitMs, fromMs = -Infinity }: Pick<Evaluation, 'limitMs' | 'fromMs'>): number {
  return Math.max(limitMs - horizonMs, fromMs)
}
