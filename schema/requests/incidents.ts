import { alertKind } from '../records/alert-condition-schema.ts'
import { alertSeverity } from '../records/alert-rule.ts'
import { callNote, commentText, incident, incidentState } from '../records/incident.ts'
import { exampleIds } from '../example-ids.ts'
import * as t from '../types.ts'
import { direction } from './alarm-instances.ts'

/** Maximum number of incidents of a page. */
export const maxIncidentsOfPage = 200

const ids = t.list(t.text, { maxItems: 1_000 })

/** Query of `GET /incidents`. Retracted incidents are listed only if `state` names them. */
export const incidentsQuery = t.partial({
  state: t.described(t.list(incidentState, { maxItems: 4 }), 'By default all except `retracted`'),
  kind: t.list(alertKind, { maxItems: 7 }),
  severity: t.list(alertSeverity, { maxItems: 3 }),
  machineId: ids,
  ruleId: ids,
  start: t.described(t.looseInstant, 'Incidents that end after it, or have no end'),
  end: t.described(t.looseInstant, 'Incidents that start before it'),
  direction: t.described({ ...direction, default: 'DESC' }, 'By `startedAt`, then `id`; `DESC`: newest first'),
  startId: t.described(t.uuid, 'Id of the last incident of the previous page'),
  limit: t.described(
    t.withDefault(t.integer(1, maxIncidentsOfPage), maxIncidentsOfPage),
    'Maximum number of incidents',
  ),
})
export type IncidentsQuery = t.Infer<typeof incidentsQuery>

const names = {
  assignedName: t.described(t.nullable(t.text), 'Name of the user `assignedTo`; null: none, or a deleted one'),
}

/** An incident in a list. `GET /incidents/:id` adds notices and comments. */
const incidentItem = t.named(
  'IncidentItem',
  t.extendObject(t.without(incident, 'companyId', 'notices', 'comments'), names),
)
export type IncidentItem = t.Infer<typeof incidentItem>
export const incidentList = t.namedList(incidentItem)

/** Response for an incident. */
export const incidentResponse = t.named('Incident', t.extendObject(t.without(incident, 'companyId'), names))

/** Request body of a comment. */
export const commentInput = t.named(
  'IncidentCommentInput',
  t.withExamples(t.object({ text: commentText }), { text: 'Chip conveyor is jammed' }),
)

/** Request body of an assignment. `userId` null: no user is assigned. */
export const assignInput = t.named(
  'IncidentAssignInput',
  t.withExamples(t.object({ userId: t.nullable(t.id) }), { userId: null }),
)

/** A user whom an incident may be assigned to, or an alert target may notify. */
const incidentAssignee = t.named('IncidentAssignee', t.object({ id: t.uuid, displayName: t.name }))
export type IncidentAssignee = t.Infer<typeof incidentAssignee>
export const incidentAssigneeList = t.namedList(incidentAssignee)

/** Request body of a call. `kind`: an id in the setting `callKinds`. */
export const callInput = t.named(
  'CallInput',
  t.withExamples(t.object({ machineId: t.uuid, kind: t.id, note: t.withDefault(callNote, '') }, ['note']), {
    machineId: exampleIds.machine,
    kind: 'material',
    note: 'Bar stock 30 mm',
  }),
)
