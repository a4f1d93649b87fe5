import { randomUUID } from 'node:crypto'
import type { IncidentChangeInput } from '../../schema/commands/incident-commands.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { IncidentRecord, IncidentSubject } from '../../schema/records/incident.ts'
import type { Evaluation } from '../incidents/evaluation.ts'
import { isUnresolved } from '../incidents/incident-change.ts'
import type { Span } from '../spans/spans.ts'
import { dueSteps } from '../steps/due-steps.ts'
import { type EvaluatedMachine, joinResults } from './evaluated-machine.ts'
import { toTimes } from './known-incident.ts'
import { neverDue } from './partition-evaluation.ts'

type Times = Pick<Evaluation, 'clockMs' | 'limitMs' | 'lateMs'>

/** Opens an incident. Its first steps are in the same command, which saves the time of a second one. */
export function openWithSteps(
  rule: AlertRuleRecord,
  { startMs: startedMs, openedMs, endMs: endedMs, episodes }: Span,
  subject: IncidentSubject,
  detail: IncidentRecord['detail'],
  { clockMs, limitMs, lateMs }: Times,
): readonly IncidentChangeInput[] {
  const id = randomUUID()
  const opening: IncidentChangeInput = {
    type: 'open',
    id,
    ruleId: rule.id,
    activeFrom: rule.activeFrom,
    subject,
    detail,
    times: toTimes({ startedMs, openedMs, endedMs, reopened: episodes.length - 1 }),
  }
  if (endedMs !== Infinity || clockMs - limitMs > lateMs) return [opening]
  const progress = { detectedMs: clockMs, reopenedMs: null, isAcknowledged: false, notices: [] }
  const { due } = dueSteps(rule.steps, progress, clockMs)
  return [opening, ...due.map(({ step, repeat }) => ({ type: 'step', id, step, repeat }) as const)]
}

/** Returns the steps that are due. During a backlog none is, until the limit reaches the late time before the clock. */
export function findSteps(
  { steps }: Pick<AlertRuleRecord, 'steps'>,
  incidents: readonly IncidentRecord[],
  { clockMs, limitMs, lateMs }: Times,
): EvaluatedMachine {
  const unresolved = incidents.filter(isUnresolved)
  if (unresolved.length === 0) return { changes: [], next: neverDue }
  if (clockMs - limitMs > lateMs && unresolved.some(({ kind }) => kind !== 'call'))
    return { changes: [], next: { ...neverDue, limitMs: clockMs - lateMs } }
  const found = unresolved.map((incident): EvaluatedMachine => {
    const { id, detectedAt, reopenedAt, state, notices } = incident
    const { due, nextMs } = dueSteps(
      steps,
      {
        detectedMs: Date.parse(detectedAt),
        reopenedMs: reopenedAt === null ? null : Date.parse(reopenedAt),
        isAcknowledged: state === 'acknowledged',
        notices: notices.map(({ step, repeat, at }) => ({ step, repeat, atMs: Date.parse(at) })),
      },
      clockMs,
    )
    return {
      changes: due.map(({ step, repeat }) => ({ type: 'step', id, step, repeat }) as const),
      next: { ...neverDue, clockMs: nextMs ?? Infinity },
    }
  })
  return joinResults(found)
}
