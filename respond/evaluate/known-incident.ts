import type { IncidentChangeInput, IncidentTimesInput } from '../../schema/commands/incident-commands.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { instantText } from '../../shared/time/instant.ts'
import type { IncidentChange, IncidentTimes, KnownIncident } from '../incidents/incident-change.ts'

/** Returns the fields of a stored incident that the matching reads. */
export function toKnown(incident: IncidentRecord): KnownIncident {
  const { id, state, cause, reopened, startedAt, openedAt, endedAt, detectedAt, resolvedAt } = incident
  return {
    id,
    state,
    cause,
    reopened,
    startedMs: Date.parse(startedAt),
    openedMs: Date.parse(openedAt),
    endedMs: endedAt === null ? Infinity : Date.parse(endedAt),
    detectedMs: Date.parse(detectedAt),
    resolvedMs: resolvedAt === null ? null : Date.parse(resolvedAt),
  }
}

/** Returns the times of a command. */
export function toTimes({ startedMs, openedMs, endedMs, reopened }: IncidentTimes): IncidentTimesInput {
  const endedAt = endedMs === Infinity ? null : instantText(endedMs)
  return { startedAt: instantText(startedMs), openedAt: instantText(openedMs), endedAt, reopened }
}

/** Returns the command's change of a stored incident. */
export function toInput(
  change: Exclude<IncidentChange, { readonly type: 'open' }>,
  { state, cause, startedAt, openedAt, endedAt, reopened }: IncidentRecord,
): IncidentChangeInput {
  const { id } = change
  const basis = { state, cause, startedAt, openedAt, endedAt, reopened }
  if (change.type === 'retract') return { type: 'retract', id, basis, mergedInto: change.mergedInto }
  const times = toTimes(change.times)
  if (change.type !== 'resolve') return { type: change.type, id, basis, times }
  return { type: 'resolve', id, basis, times, resolvedAt: instantText(change.resolvedMs), cause: change.cause }
}
