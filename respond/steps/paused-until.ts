import type { AlertPauseRecord } from '../../schema/records/alert-pause.ts'
import type { IncidentSubject } from '../../schema/records/incident.ts'
import { firstEndingAfter, type Interval, joinIntervals } from '../intervals/interval.ts'

/** The subject and rule to which a pause may apply. */
export interface PausedSubject {
  readonly ruleId: string | null
  readonly subject: Pick<IncidentSubject, 'type' | 'id'>
  /** Groups of the machine. */
  readonly machineGroupIds: readonly string[]
}

/** Returns the times in which pauses apply to an incident, in order and disjoint. */
export function pausedTimes(
  pauses: readonly Pick<AlertPauseRecord, 'subject' | 'startAt' | 'endAt'>[],
  incident: PausedSubject,
): readonly Interval[] {
  const applying = pauses.filter(({ subject }) => appliesTo(subject, incident))
  // A pause may begin before another one ends.
  return joinIntervals(
    applying.map(({ startAt, endAt }) => ({ startMs: Date.parse(startAt), endMs: Date.parse(endAt) })),
  )
}

/** Returns when the paused time that contains an instant ends, UTC ms; null: it is not paused. */
export function pausedUntil(paused: readonly Interval[], atMs: number): number | null {
  const interval = paused[firstEndingAfter(paused, atMs)]
  return interval !== undefined && interval.startMs <= atMs ? interval.endMs : null
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
