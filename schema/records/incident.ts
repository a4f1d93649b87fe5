import { Type } from 'typebox'
import {
  bool,
  id,
  type Infer,
  instant,
  int,
  list,
  longText,
  name,
  named,
  nullable,
  number,
  object,
  oneOf,
  partial,
  text,
  uuid,
  withDefault,
} from '../types.ts'
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
export const incidentState = named('IncidentState', oneOf(incidentStates))
export type IncidentState = (typeof incidentStates)[number]

/** `record`: a changed record ended it; `subject`: its subject was decommissioned, disabled or deleted. */
const incidentCauses = ['condition', 'user', 'rule', 'subject', 'record'] as const
export type IncidentCause = (typeof incidentCauses)[number]
export const incidentCause = named('IncidentCause', oneOf(incidentCauses))

export const incidentEvents = [
  'incident.opened',
  'incident.escalated',
  'incident.acknowledged',
  'incident.resolved',
  'incident.retracted',
] as const

export const incidentEvent = named('IncidentEvent', oneOf(incidentEvents))
export type IncidentEvent = (typeof incidentEvents)[number]

/** Returns the scopes that a reader of incidents of a kind needs: those of connectors name connectors. */
export function scopesToRead(kind: AlertKind): readonly Scope[] {
  return kind === 'connector' ? ['incident.read', 'connector.read'] : ['incident.read']
}

/** Limit of the unresolved incidents of a company: more do not open. */
export const maxUnresolved = 50_000

/** Limit of the notices of an incident. */
export const maxNotices = 1_000

export const incidentSubject = named(
  'IncidentSubject',
  object({
    type: named('IncidentSubjectType', oneOf(['machine', 'connector', 'system'])),
    id: text,
    name: text,
  }),
)
export type IncidentSubject = Infer<typeof incidentSubject>

const alarm = named('IncidentAlarm', object({ nativeCode: text, state: alarmStateSchema, message: text }))
const call = named('IncidentCall', object({ kind: id, note: longText }))

/** Detail at the opening; one of the fields, or `check` and `value`. Without: `silent`. */
export const incidentDetail = named(
  'IncidentDetail',
  partial({
    reasonId: stopReasonSchema,
    status: statusSchema,
    alarms: list(alarm, { maxItems: 20 }),
    call,
    connectorState: text,
    check: systemCheckSchema,
    value: nullable(number),
  }),
)

export const incidentActor = named(
  'IncidentActor',
  object({ kind: named('IncidentActorKind', oneOf(['user', 'key'])), id: text, name: text }),
)

/**
 * Steps are numbered from 1, 0: not of a step; repeats from 0. `deliveryId` null: the notice waits. `isSummarized`: the
 * delivery is a summary.
 */
const notice = named(
  'IncidentNotice',
  object({
    event: incidentEvent,
    step: int,
    repeat: int,
    at: instant,
    targetId: id,
    deliveryId: nullable(uuid),
    isSummarized: bool,
  }),
)

/** Limit of the comments of an incident. */
export const maxComments = 200
export const commentText = Type.String({ minLength: 1, maxLength: 2_000 })
/** As long as a comment: the note of a repeated call becomes one. */
export const callNote = Type.String({ maxLength: 2_000 })
const comment = named('IncidentComment', object({ at: instant, by: incidentActor, text: commentText }))

/** `endedAt` null: the condition holds. */
export const incident = object({
  id: uuid,
  companyId: text,
  ruleId: nullable(id),
  ruleName: nullable(name),
  kind: alertKind,
  severity: alertSeverity,
  subject: incidentSubject,
  detail: incidentDetail,
  state: incidentState,
  startedAt: instant,
  openedAt: instant,
  endedAt: nullable(instant),
  detectedAt: instant,
  acknowledgedAt: withDefault(nullable(instant), null),
  acknowledgedBy: withDefault(nullable(incidentActor), null),
  resolvedAt: withDefault(nullable(instant), null),
  resolvedBy: withDefault(nullable(incidentActor), null),
  cause: withDefault(nullable(incidentCause), null),
  assignedTo: withDefault(nullable(uuid), null),
  mergedInto: withDefault(nullable(uuid), null),
  reopened: withDefault(int, 0),
  reopenedAt: withDefault(nullable(instant), null),
  notices: withDefault(list(notice, { maxItems: maxNotices }), []),
  comments: withDefault(list(comment, { maxItems: maxComments }), []),
})
export type IncidentRecord = Infer<typeof incident>
export type IncidentNotice = IncidentRecord['notices'][number]
export type IncidentActor = Infer<typeof incidentActor>

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
