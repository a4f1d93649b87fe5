import { type IncidentActor, type IncidentRecord, maxComments } from '../../../schema/records/incident.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, type CompanyContext, companyCommand, put } from '../deciding/command.ts'
import { CommandRejection, invalidField } from '../deciding/command-rejection.ts'
import { withEventNotices } from '../deciding/event-notices.ts'
import { findIncident } from '../deciding/find-incident.ts'

/** Acknowledges an incident; an acknowledged one stays as it is. Returns the record; 409 if it is resolved. */
const acknowledge: CommandSpec = companyCommand('incident.acknowledge', ({ id, by }, context) => {
  const before = findUnresolved(id, context)
  if (before.state === 'acknowledged') return put('incident', before.id, before, before)
  const after: IncidentRecord = {
    ...before,
    state: 'acknowledged',
    acknowledgedAt: before.acknowledgedAt ?? context.now,
    acknowledgedBy: before.acknowledgedBy ?? by,
  }
  return put('incident', before.id, before, withEventNotices(after, 'incident.acknowledged', context.now))
})

/** Resolves an incident; a call ends. Returns the record; 409 if it is resolved. */
const resolve: CommandSpec = companyCommand('incident.resolve', ({ id, by }, context) => {
  const before = findUnresolved(id, context)
  const { now } = context
  const endedAt = before.kind === 'call' ? now : before.endedAt
  const resolved = { state: 'resolved', endedAt, resolvedAt: now, resolvedBy: by, cause: 'user' } as const
  return put('incident', before.id, before, withEventNotices({ ...before, ...resolved }, 'incident.resolved', now))
})

/** Assigns an incident to a user, or to none. Returns the record; 409 if it is resolved. */
const assign: CommandSpec = companyCommand('incident.assign', ({ id, userId }, context) => {
  const before = findUnresolved(id, context)
  const { records, company } = context
  const assignedTo = userId === null ? null : canonicalId(userId)
  const user = assignedTo === null ? null : records.get('user', company.id, assignedTo)
  if (assignedTo !== null && (user === null || user.disabledAt !== null))
    throw invalidField('userId', 'InvalidDataItem', `userId '${assignedTo}' is not an active user`)
  return put('incident', before.id, before, { ...before, assignedTo })
})

/** Adds a comment to an incident in any state. Returns the record; 409 if it has the maximum number of comments. */
const comment: CommandSpec = companyCommand('incident.comment', ({ id, text, by }, context) => {
  const before = findIncident(id, context)
  return put('incident', before.id, before, withComment(before, text, by, context.now))
})

/** Returns an incident with a further comment; throws 409 if it has the maximum number. */
export function withComment(incident: IncidentRecord, text: string, by: IncidentActor, at: string): IncidentRecord {
  if (incident.comments.length >= maxComments)
    throw new CommandRejection(409, 'TooManyComments', `An incident has at most ${maxComments} comments`)
  return { ...incident, comments: [...incident.comments, { at, by, text }] }
}

function findUnresolved(id: string, context: CompanyContext): IncidentRecord {
  const found = findIncident(id, context)
  if (found.state !== 'open' && found.state !== 'acknowledged')
    throw new CommandRejection(409, 'NotUnresolved', `The incident is ${found.state}`)
  return found
}

export const incidentActionCommands = [acknowledge, resolve, assign, comment]
