import { hasNoEnd, type IncidentChange, isUnresolved, type KnownIncident } from './incident-change.ts'

/**
 * Returns the changes that end the incidents of a rule that ended, or of a subject that left, at an instant, UTC ms.
 * `holdEndMs` is the end of the last hold; Infinity: it lasts. In a break, incidents end with the hold; if the subject
 * leaves, their cause is then `condition`. One that a user resolved only gets its end.
 */
export function resolveAll(
  incidents: readonly KnownIncident[],
  cause: 'rule' | 'subject',
  atMs: number,
  holdEndMs: number,
): readonly IncidentChange[] {
  const endedMs = Math.min(atMs, holdEndMs)
  const byCondition = cause === 'subject' && holdEndMs < atMs
  const resolvedMs = byCondition ? endedMs : atMs
  const resolvedBy = byCondition ? 'condition' : cause
  return incidents.filter(hasNoEnd).map(incident => {
    const { id, startedMs, openedMs, reopened } = incident
    const times = { startedMs, openedMs, endedMs, reopened }
    if (!isUnresolved(incident)) return { type: 'correct', id, times }
    return { type: 'resolve', id, times, resolvedMs, cause: resolvedBy }
  })
}
