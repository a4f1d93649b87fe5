import type { AlertPauseRecord } from '../../schema/records/alert-pause.ts'
import type { IncidentSubject } from '../../schema/records/incident.ts'

/** The subject and rule to which a pause may apply. */
export interface PausedSubject {
  readonly ruleId: string | null
  readonly subject: Pick<IncidentSubject, 'type' | 'id'>
  /** Groups of the machine. */
  readonly machineGroupIds: readonly string[]
}

/** Returns when the pauses that apply to an incident at an instant end, UTC ms; null: it is not paused. */
export function pausedUntil(
  pauses: readonly Pick<AlertPauseRecord, 'subject' | 'startAt' | 'endAt'>[],
  incident: PausedSubject,
  atMs: number,
): number | null {
  const applying = pauses.filter(pause => appliesTo(pause.subject, incident))
  let untilMs = atMs
  // A pause may begin before another one ends.
  for (const { startAt, endAt } of applying.toSorted((a, b) => (a.startAt < b.startAt ? -1 : 1)))
    if (Date.parse(startAt) <= untilMs && Date.parse(endAt) > untilMs) untilMs = Date.parse(endAt)
  return untilMs > atMs ? untilMs : null
}

function appliesTo(pause: AlertPauseRecord['subject'], { ruleId, subject, machineGroupIds }: PausedSubject): boolean {
  const { machineIds, connectorIds, ruleIds } = pause
  const isEmpty = [machineIds, pause.machineGroupIds, connectorIds, ruleIds].every(ids => ids.length === 0)
  return (
    isEmpty ||
    (subject.type === 'machine' && machineIds.includes(subject.id)) ||
    (subject.type === 'machine' && machineGroupIds.some(id => pause.machineGroupIds.includes(id))) ||
    (subject.type === 'connector' && connectorIds.includes(subject.id)) ||
    (ruleId !== null && ruleIds.includes(ruleId))
  )
}
