import { dayMs } from '../../shared/time/units.ts'
import type { Interval } from '../intervals/interval.ts'
import type { Span } from '../spans/spans.ts'
import { assignSpans } from './assign-spans.ts'
import { type IncidentChange, isUnresolved, type KnownIncident } from './incident-change.ts'
import { updateIncident } from './update-incident.ts'

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
  /** Highest limit of earlier evaluations; -Infinity: there is none. */
  readonly evaluatedToMs: number
  /** How long before the limit a span that is found late may have ended. */
  readonly lateMs: number
  readonly clockMs: number
  /** Whether new incidents may open: not for silence during a backlog. */
  readonly mayOpen: boolean
  /** For a stop with certain reasons: intervals in which the machine is down with any reason; otherwise empty. */
  readonly downs: readonly Interval[]
  /** Clock of the last change of a record of the machine; null: none. */
  readonly recordChangedMs: number | null
}

/**
 * Returns the changes that make the incidents of a rule and subject equal to their spans. Pure; evaluated again with the
 * changed incidents, it returns none. At most one incident is unresolved if the changes are applied in order.
 */
export function matchIncidents(evaluation: Evaluation): readonly IncidentChange[] {
  const oldestMs = evaluation.limitMs - horizonMs
  const incidents = evaluation.incidents.filter(({ state, endedMs }) => state !== 'retracted' && endedMs > oldestMs)
  const earlier = incidents.filter(({ openedMs }) => openedMs < evaluation.activeFromMs)
  const followed = earlier.filter(incident => isUnresolved(incident) || incident.endedMs === Infinity)
  const current = incidents.filter(incident => !earlier.includes(incident))
  const spans = evaluation.spans.filter(span => span.endMs > oldestMs)
  const others = spans.filter(span => !earlier.some(incident => opensWithin(span, incident)))
  const { kept, merged, withoutSpan, newSpans } = assignSpans(current, others)
  return [
    ...followEarlier(followed, evaluation),
    ...withoutSpan.flatMap(incident => endWithoutSpan(incident, evaluation)),
    ...merged.map(({ incident: { id }, into }) => ({ type: 'retract', id, mergedInto: into.id }) as const),
    ...kept.flatMap(({ incident, span }) => updateIncident(incident, span, oldestMs)),
    ...newSpans.filter(span => mayOpen(span, evaluation)).map(span => ({ type: 'open', span }) as const),
  ]
}

/**
 * Whether a span belongs to an incident from before the last change of the rule. A span that opens after the end of the
 * incident is another one, even if its hold began before: the changed rule may cover more.
 */
function opensWithin(span: Span, { startedMs, endedMs }: KnownIncident): boolean {
  return span.openedMs < endedMs && span.endMs > startedMs
}

/** A span that opened before an earlier limit is late: it opens only if it held shortly before the limit. */
function mayOpen(span: Span, { mayOpen, limitMs, evaluatedToMs, lateMs }: Evaluation): boolean {
  return mayOpen && (span.openedMs >= evaluatedToMs || span.endMs > limitMs - lateMs)
}

/** Incidents from before the last change of the rule: those whose condition does not hold any more are resolved. */
function followEarlier(incidents: readonly KnownIncident[], evaluation: Evaluation): readonly IncidentChange[] {
  const { spansWithoutActiveFrom, limitMs, clockMs } = evaluation
  const { kept, merged, withoutSpan } = assignSpans(incidents, spansWithoutActiveFrom)
  const ended = [...withoutSpan, ...merged.map(({ incident }) => incident)]
  return [
    ...kept.flatMap(({ incident, span }) => updateIncident(incident, span, limitMs - horizonMs)),
    ...ended.map(incident => endAt(incident, clockMs, 'rule')),
  ]
}

function endWithoutSpan(incident: KnownIncident, evaluation: Evaluation): readonly IncidentChange[] {
  const { downs, recordChangedMs, limitMs } = evaluation
  if (incident.cause === 'rule' || incident.cause === 'record') return []
  const { startedMs, endedMs } = incident
  const remains = downs.some(down => down.startMs < endedMs && down.endMs > startedMs)
  if (!remains) return [{ type: 'retract', id: incident.id, mergedInto: null }]
  if (!isUnresolved(incident) && endedMs !== Infinity) return []
  const isChanged = recordChangedMs !== null && recordChangedMs > incident.detectedMs
  return [isChanged ? endAt(incident, recordChangedMs, 'record') : endAt(incident, limitMs, 'condition')]
}

/** Ends an incident; one that a user resolved only gets its end. */
function endAt(incident: KnownIncident, atMs: number, cause: 'rule' | 'record' | 'condition'): IncidentChange {
  const { id, startedMs, openedMs, reopened } = incident
  const times = { startedMs, openedMs, endedMs: atMs, reopened }
  if (!isUnresolved(incident)) return { type: 'correct', id, times }
  return { type: 'resolve', id, times, resolvedMs: atMs, cause }
}

/** Returns the changes that resolve the unresolved incidents of a rule that ended, or of a subject that left, at an instant. */
export function resolveAll(
  incidents: readonly KnownIncident[],
  cause: 'rule' | 'subject',
  atMs: number,
): readonly IncidentChange[] {
  return incidents.filter(isUnresolved).map(({ id, startedMs, openedMs, reopened }) => {
    const times = { startedMs, openedMs, endedMs: atMs, reopened }
    return { type: 'resolve', id, times, resolvedMs: atMs, cause }
  })
}
