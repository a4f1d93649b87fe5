import type { NoticeName } from '../../schema/commands/delivery-commands.ts'
import type { AlertPauseRecord } from '../../schema/records/alert-pause.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { IncidentNotice, IncidentRecord } from '../../schema/records/incident.ts'
import type { WaitingNotice } from '../deliveries/waiting-notice.ts'
import { pausedTimes, pausedUntil } from '../steps/paused-until.ts'

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
 * Returns the notices of an incident that wait for a target. During a pause, of several repeats the last one waits; after
 * it, steps are sent only if they are still due. The other events are sent only if the target has, or gets, a notice of a
 * step.
 */
export function targetNotices(incident: IncidentRecord, inputs: NoticeInputs): TargetNotices {
  const { targetId } = inputs
  const ofTarget = incident.notices.filter(notice => notice.targetId === targetId)
  const pauseEndMs = findPauseEnds(incident, inputs)
  const waiting = ofTarget
    .filter(({ deliveryId }) => deliveryId === null)
    .map(notice => ({ notice, pauseEndMs: pauseEndMs(notice) }))
  const lastRepeats = lastRepeatsOf(waiting)
  const isDropped = ({ notice, pauseEndMs }: PausedNotice): boolean => {
    if (notice.step === 0 || pauseEndMs === null) return false
    const isLast = notice.repeat === lastRepeats.get(notice.step)
    return !isLast || (pauseEndMs <= inputs.nowMs && !isDue(notice, incident, inputs))
  }
  const dropped = new Set(waiting.filter(isDropped).map(({ notice }) => notice))
  const isNotified = ofTarget.some(notice => notice.step > 0 && !notice.isSummarized && !dropped.has(notice))
  if (!isNotified) for (const { notice } of waiting) if (notice.step === 0) dropped.add(notice)
  return {
    waiting: waiting
      .filter(({ notice }) => !dropped.has(notice))
      .map(({ notice, pauseEndMs }) => toWaiting(notice, incident, pauseEndMs, inputs)),
    dropped: [...dropped].map(({ event, step, repeat }) => ({ incidentId: incident.id, event, step, repeat })),
  }
}

interface PausedNotice {
  readonly notice: IncidentNotice
  /** End of the pause in which the notice was created; null: there was none. */
  readonly pauseEndMs: number | null
}

function findPauseEnds(
  { ruleId, subject }: IncidentRecord,
  { pauses, machineGroupIds }: NoticeInputs,
): (notice: IncidentNotice) => number | null {
  const paused = pausedTimes(pauses, { ruleId, subject, machineGroupIds })
  return ({ at }) => (paused.length === 0 ? null : pausedUntil(paused, Date.parse(at)))
}

function lastRepeatsOf(notices: readonly PausedNotice[]): ReadonlyMap<number, number> {
  const last = new Map<number, number>()
  for (const { notice } of notices) last.set(notice.step, Math.max(notice.repeat, last.get(notice.step) ?? 0))
  return last
}

/** Whether the notice of a step must still be sent after a pause. */
function isDue({ step }: IncidentNotice, { state }: IncidentRecord, { steps }: NoticeInputs): boolean {
  return state === 'open' || (state === 'acknowledged' && steps[step - 1]?.until === 'resolved')
}

function toWaiting(
  { event, step, repeat, at }: IncidentNotice,
  { id: incidentId, reopened, ruleId }: IncidentRecord,
  endMs: number | null,
  { ownedSinceMs }: NoticeInputs,
): WaitingNotice {
  return { incidentId, reopened, ruleId, event, step, repeat, readyMs: Math.max(ownedSinceMs, endMs ?? Date.parse(at)) }
}
