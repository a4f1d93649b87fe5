import type { NoticeName } from '../../schema/commands/delivery-commands.ts'
import type { AlertPauseRecord } from '../../schema/records/alert-pause.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { IncidentNotice, IncidentRecord } from '../../schema/records/incident.ts'
import type { WaitingNotice } from '../deliveries/waiting-notice.ts'
import { pausedUntil } from '../steps/paused-until.ts'

/** Facts that decide when the notices of an incident may be sent. Instants are UTC ms. */
export interface NoticeInputs {
  readonly targetId: string
  readonly steps: AlertRuleRecord['steps']
  readonly pauses: readonly AlertPauseRecord[]
  /** Groups of the machine. */
  readonly machineGroupIds: readonly string[]
  /** Instant from which this process sends to the target. */
  readonly ownedSinceMs: number
  readonly nowMs: number
}

/** The notices of an incident that wait for a target, in order, and those whose message is not needed any more. */
export interface TargetNotices {
  readonly waiting: readonly WaitingNotice[]
  readonly dropped: readonly NoticeName[]
}

/**
 * Returns the notices of an incident that wait for a target. After a pause, steps are sent only if they are still due,
 * and of several repeats the last one; the other events only if the target has, or gets, a notice of a step.
 */
export function targetNotices(incident: IncidentRecord, inputs: NoticeInputs): TargetNotices {
  const { targetId, nowMs } = inputs
  const ofTarget = incident.notices.filter(notice => notice.targetId === targetId)
  const waiting = ofTarget.filter(({ deliveryId }) => deliveryId === null)
  const pauseEnds = new Map(waiting.map(notice => [notice, pauseEndMs(notice, incident, inputs)]))
  const isOver = (notice: IncidentNotice) => (pauseEnds.get(notice) ?? Infinity) <= nowMs
  const dropped = new Set(
    waiting.filter(notice => notice.step > 0 && isOver(notice) && !isDue(notice, waiting, incident, inputs)),
  )
  const isNotified = ofTarget.some(notice => notice.step > 0 && !notice.isSummarized && !dropped.has(notice))
  if (!isNotified) for (const notice of waiting) if (notice.step === 0) dropped.add(notice)
  return {
    waiting: waiting
      .filter(notice => !dropped.has(notice))
      .map(notice => toWaiting(notice, incident, pauseEnds.get(notice) ?? null, inputs)),
    dropped: [...dropped].map(({ event, step, repeat }) => ({ incidentId: incident.id, event, step, repeat })),
  }
}

function pauseEndMs(
  { at }: IncidentNotice,
  { ruleId, subject }: IncidentRecord,
  { pauses, machineGroupIds }: NoticeInputs,
): number | null {
  return pauses.length === 0 ? null : pausedUntil(pauses, { ruleId, subject, machineGroupIds }, Date.parse(at))
}

/** Whether the notice of a step must still be sent after a pause. */
function isDue(
  { step, repeat }: IncidentNotice,
  waiting: readonly IncidentNotice[],
  { state }: IncidentRecord,
  { steps }: NoticeInputs,
): boolean {
  const isLast = !waiting.some(other => other.step === step && other.repeat > repeat)
  const isUnresolved = state === 'open' || (state === 'acknowledged' && steps[step - 1]?.until === 'resolved')
  return isLast && isUnresolved
}

function toWaiting(
  { event, step, repeat, at }: IncidentNotice,
  { id: incidentId, reopened, ruleId }: IncidentRecord,
  endMs: number | null,
  { ownedSinceMs }: NoticeInputs,
): WaitingNotice {
  return { incidentId, reopened, ruleId, event, step, repeat, readyMs: Math.max(ownedSinceMs, endMs ?? Date.parse(at)) }
}
