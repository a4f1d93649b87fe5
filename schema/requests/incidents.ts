import { alertKind } from '../records/alert-condition-schema.ts'
import { alertSeverity } from '../records/alert-rule.ts'
import { callNote, commentText, incident, incidentState } from '../records/incident.ts'
import { exampleIds } from '../example-ids.ts'
import {
  described,
  extendObject,
  id,
  type Infer,
  integer,
  list,
  looseInstant,
  name,
  named,
  namedList,
  nullable,
  object,
  partial,
  text,
  uuid,
  withDefault,
  withExamples,
  without,
} from '../types.ts'
import { direction } from './alarm-instances.ts'

/** Maximum number of incidents of a page. */
export const maxIncidentsOfPage = 200

const ids = list(text, { maxItems: 1_000 })

/** Query of `GET /incidents`. Retracted incidents are listed only if `state` names them. */
export const incidentsQuery = partial({
  state: described(list(incidentState, { maxItems: 4 }), 'By default all except `retracted`'),
  kind: list(alertKind, { maxItems: 7 }),
  severity: list(alertSeverity, { maxItems: 3 }),
  machineId: ids,
  ruleId: ids,
  start: described(looseInstant, 'Incidents that end after it, or have no end'),
  end: described(looseInstant, 'Incidents that start before it'),
  direction: described({ ...direction, default: 'DESC' }, 'By `startedAt`, then `id`; `DESC`: newest first'),
  startId: described(uuid, 'Id of the last incident of the previous page'),
  limit: described(withDefault(integer(1, maxIncidentsOfPage), maxIncidentsOfPage), 'Maximum number of incidents'),
})
export type IncidentsQuery = Infer<typeof incidentsQuery>

const names = {
  assignedName: described(nullable(text), 'Name of the user `assignedTo`; null: none, or a deleted one'),
}

/** An incident in a list. `GET /incidents/:id` adds notices and comments. */
const incidentItem = named('IncidentItem', extendObject(without(incident, 'companyId', 'notices', 'comments'), names))
export type IncidentItem = Infer<typeof incidentItem>
export const incidentList = namedList(incidentItem)

/** Response for an incident. */
export const incidentResponse = named('Incident', extendObject(without(incident, 'companyId'), names))

/** Request body of a comment. */
export const commentInput = named(
  'IncidentCommentInput',
  withExamples(object({ text: commentText }), { text: 'Chip conveyor is jammed' }),
)

/** Request body of an assignment. `userId` null: no user is assigned. */
export const assignInput = named(
  'IncidentAssignInput',
  withExamples(object({ userId: nullable(id) }), { userId: null }),
)

/** A user whom an incident may be assigned to, or an alert target may notify. */
const incidentAssignee = named('IncidentAssignee', object({ id: uuid, displayName: name }))
export type IncidentAssignee = Infer<typeof incidentAssignee>
export const incidentAssigneeList = namedList(incidentAssignee)

/** Request body of a call. `kind`: an id in the setting `callKinds`. */
export const callInput = named(
  'CallInput',
  withExamples(object({ machineId: uuid, kind: id, note: withDefault(callNote, '') }, ['note']), {
    machineId: exampleIds.machine,
    kind: 'material',
    note: 'Bar stock 30 mm',
  }),
)
