import { Type } from 'typebox'
import * as t from '../types.ts'
import type { Scope } from '../scopes.ts'
import type { AlertKind } from './alert-condition.ts'
import {
  alarmStateSchema,
  alertKind,
  statusSchema,
  stopReasonSchema,
  systemCheckSchema,
} from './alert-condition-schema.ts'
import { alertSeverity } from './alert-rule.ts'

const incidentStates = ['open', 'acknowledged', 'resolved', 'retracted'] as const
export const incidentState = t.named('IncidentState', t.oneOf(incidentStates))
export type IncidentState = (typeof incidentStates)[number]

/** `record`: a changed record ended it; `subject`: its subject was decommissioned, disabled or deleted. */
const incidentCauses = ['condition', 'user', 'rule', 'subject', 'record'] as const
export type IncidentCause = (typeof incidentCauses)[number]
export const incidentCause = t.named('IncidentCause', t.oneOf(incidentCauses))

export const incidentEvents = [
  'incident.opened',
  'incident.escalated',
  'incident.acknowledged',
  'incident.resolved',
  'incident.retracted',
] as const

export const incidentEvent = t.named('IncidentEvent', t.oneOf(incidentEvents))
export type IncidentEvent = (typeof incidentEvents)[number]

/** Returns the scopes that a reader of incidents of a kind needs: those of connectors name connectors. */
export function scopesToRead(kind: AlertKind): readonly Scope[] {
  return kind === 'connector' ? ['incident.read', 'connector.read'] : ['incident.read']
}

/** Limit of the unresolved incidents of a company: more do not open. */
export const maxUnresolved = 50_000

/** Limit of the notices of an incident. */
export const maxNotices = 1_000

export const incidentSubject = t.named(
  'IncidentSubject',
  t.object({
    type: t.named('IncidentSubjectType', t.oneOf(['machine', 'connector', 'system'])),
    id: t.text,
    name: t.text,
  }),
)
export type IncidentSubject = t.Infer<typeof incidentSubject>

const alarm = t.named('IncidentAlarm', t.object({ nativeCode: t.text, state: alarmStateSchema, message: t.text }))
const call = t.named('IncidentCall', t.object({ kind: t.id, note: t.longText }))

/** Detail at the opening; one of the fields, or `check` and `value`. Without: `silent`. */
export const incidentDetail = t.named(
  'IncidentDetail',
  t.partial({
    reasonId: stopReasonSchema,
    status: statusSchema,
    alarms: t.list(alarm, { maxItems: 20 }),
    call,
    connectorState: t.text,
    check: systemCheckSchema,
    value: t.nullable(t.number),
  }),
)

export const incidentActor = t.named(
  'IncidentActor',
  t.object({ kind: t.named('IncidentActorKind', t.oneOf(['user', 'key'])), id: t.text, name: t.text }),
)

/**
 * Steps are numbered from 1, 0: not of a step; repeats from 0. `deliveryId` null: the notice waits. `isSummarized`: the
 * delivery is a summary.
 */
const notice = t.named(
  'IncidentNotice',
  t.object({
    event: incidentEvent,
    step: t.int,
    repeat: t.int,
    at: t.instant,
    targetId: t.id,
    deliveryId: t.nullable(t.uuid),
    isSummarized: t.bool,
  }),
)

/** Limit of the comments of an incident. */
export const maxComments = 200
export const commentText = Type.String({ minLength: 1, maxLength: 2_000 })
/** As long as a comment: the note of a repeated call becomes one. */
export const callNote = Type.String({ maxLength: 2_000 })
const comment = t.named('IncidentComment', t.object({ at: t.instant, by: incidentActor, text: commentText }))

/** `endedAt` null: the condition holds. */
export const incident = t.object({
  id: t.uuid,
  companyId: t.text,
  ruleId: t.nullable(t.id),
  ruleName: t.nullable(t.name),
  kind: alertKind,
  severity: alertSeverity,
  subject: incidentSubject,
  detail: incidentDetail,
  state: incidentState,
  startedAt: t.instant,
  openedAt: t.instant,
  endedAt: t.nullable(t.instant),
  detectedAt: t.instant,
  acknowledgedAt: t.withDefault(t.nullable(t.instant), null),
  acknowledgedBy: t.withDefault(t.nullable(incidentActor), null),
  resolvedAt: t.withDefault(t.nullable(t.instant), null),
  resolvedBy: t.withDefault(t.nullable(incidentActor), null),
  cause: t.withDefault(t.nullable(incidentCause), null),
  assignedTo: t.withDefault(t.nullable(t.uuid), null),
  mergedInto: t.withDefault(t.nullable(t.uuid), null),
  reopened: t.withDefault(t.int, 0),
  reopenedAt: t.withDefault(t.nullable(t.instant), null),
  notices: t.withDefault(t.list(notice, { maxItems: maxNotices }), []),
  comments: t.withDefault(t.list(comment, { maxItems: maxComments }), []),
})
export type IncidentRecord = t.Infer<typeof incident>
export type IncidentNotice = IncidentRecord['notices'][number]
export type IncidentActor = t.Infer<typeof incidentActor>

export function isUnresolved({ state }: Pick<IncidentRecord, 'state'>): boolean {
  return state === 'open' || state === 'acknowledged'
}

/**
 * Returns when an incident was settled, as ISO text; null: it is unresolved, or its condition still holds. Evaluations
 * may still change an incident that was settled in the last days.
 */
export function settledAt(incident: IncidentRecord): string | null {
  const { state, endedAt, detectedAt } = incident
  if (isUnresolved(incident)) return null
  if (endedAt === null) return state === 'retracted' ? detectedAt : null
  return endedAt > detectedAt ? endedAt : detectedAt
}
