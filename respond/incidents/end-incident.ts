import { type IncidentChange, isUnresolved, type KnownIncident } from './incident-change.ts'

/** Returns the change that ends an incident at an instant, UTC ms; one that a user resolved only gets its end. */
export function endIncident(
  incident: KnownIncident,
  atMs: number,
  cause: 'rule' | 'record' | 'condition',
): IncidentChange {
  const { id, startedMs, openedMs, reopened } = incident
  const times = { startedMs, openedMs, endedMs: atMs, reopened }
  if (!isUnresolved(incident)) return { type: 'correct', id, times }
  return { type: 'resolve', id, times, resolvedMs: atMs, cause }
}
