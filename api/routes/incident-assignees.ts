import type { UserRecord } from '../../schema/records/user.ts'
import { type IncidentAssignee, incidentAssigneeList } from '../../schema/requests/incidents.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { RecordsPort } from '../ports/ports.ts'

const listAssignees = route('GET /incident-assignees', 'listIncidentAssignees', {
  summary: 'Users to whom incidents can be assigned, oldest first',
  description: 'Users of the company who are not disabled. Alert targets of the kind `user` may name them, too.',
  scope: anyOf('incident', 'alert'),
  output: incidentAssigneeList,
  handle: ({ caller }, { records }: RecordsPort) =>
    records
      .list('user', caller().company.id)
      .filter(({ disabledAt }) => disabledAt === null)
      .map(toAssignee),
})

function toAssignee({ id, displayName }: UserRecord): IncidentAssignee {
  return { id, displayName }
}

export const incidentAssigneeRoutes = [listAssignees]
