import type { Span } from '../spans/spans.ts'
import { type IncidentChange, type IncidentTimes, isUnresolved, type KnownIncident } from './incident-change.ts'

/** Returns the change that gives an incident the times of its span; none if they are equal. */
export function updateIncident(incident: KnownIncident, span: Span, oldestMs: number): readonly IncidentChange[] {
  const { id, cause } = incident
  const times = timesOf(incident, span, oldestMs)
  const holds = times.endedMs === Infinity
  if (isUnresolved(incident) && !holds)
    return [{ type: 'resolve', id, times, resolvedMs: times.endedMs, cause: 'condition' }]
  if (cause === 'rule') return []
  // The subject may be in service again.
  if (cause === 'subject' && times.endedMs > incident.endedMs) return []
  if (cause === 'record' && !holds) return []
  if ((cause === 'condition' || cause === 'record') && holds) return [{ type: 'resume', id, times }]
  return isSame(incident, times) ? [] : [{ type: 'correct', id, times }]
}

/** A start before the oldest considered data stays. */
function timesOf(incident: KnownIncident, span: Span, oldestMs: number): IncidentTimes {
  const keepsStart = incident.startedMs < oldestMs && span.startMs < oldestMs
  return {
    startedMs: keepsStart ? incident.startedMs : span.startMs,
    openedMs: keepsStart && incident.openedMs < oldestMs ? incident.openedMs : span.openedMs,
    endedMs: span.endMs,
    reopened: incident.cause === 'user' ? incident.reopened : Math.max(incident.reopened, span.episodes.length - 1),
  }
}

function isSame(incident: KnownIncident, times: IncidentTimes): boolean {
  return (
    incident.startedMs === times.startedMs &&
    incident.openedMs === times.openedMs &&
    incident.endedMs === times.endedMs &&
    incident.reopened === times.reopened
  )
}
