import { type ListedIncident, readIncidents } from '../../clickhouse/projections/incidents.ts'
import { canonicalId } from '../../processors/records/record-ids.ts'
import { exampleIds } from '../../schema/example-ids.ts'
import { fieldError, notFound, validationError } from '../../schema/errors.ts'
import { alertKinds } from '../../schema/records/alert-condition.ts'
import type { IncidentActor, IncidentRecord } from '../../schema/records/incident.ts'
import {
  assignInput,
  callInput,
  commentInput,
  type IncidentItem,
  incidentList,
  incidentResponse,
  type IncidentsQuery,
  incidentsQuery,
  maxIncidentsOfPage,
} from '../../schema/requests/incidents.ts'
import { toInstant } from '../../shared/time/instant.ts'
import { unsafe } from '../../schema/types.ts'
import type { QueryOptions } from '../../clickhouse/client/store.ts'
import type { Caller } from '../auth/caller.ts'
import { anyOf } from '../auth/scopes.ts'
import { pathId, submit } from '../commands/submit.ts'
import { type Call, jsonBody, route } from '../http/route.ts'
import { mayReadIncidents, presentIncident } from '../incidents/present-incident.ts'
import type { JsonList } from '../json/write-json.ts'
import type { CommandsPort, RecordsPort, StorePort } from '../ports/ports.ts'
import { findRecord } from './find-record.ts'
import { answerAll } from './page.ts'
import { isOfUnresolved, listUnresolved } from './unresolved-incidents.ts'

const path = '/incidents'
const read = anyOf('incident.read')
const write = anyOf('incident')
const example = { id: exampleIds.incident }

type ReadDeps = RecordsPort & StorePort
type WriteDeps = ReadDeps & CommandsPort

const listIncidents = route(`GET ${path}`, 'listIncidents', {
  summary: 'Incidents by start, newest first by default',
  description:
    'Pages continue with the last `id` as `startId`. With `start` or `end`: incidents that overlap the range. Incidents of connectors are visible to callers with `connector.read`.',
  scope: read,
  query: incidentsQuery,
  output: unsafe<JsonList<IncidentItem>>(incidentList),
  async handle({ caller, query, signal }, deps: ReadDeps) {
    const after = query.startId === undefined ? null : await findVisible(query.startId, caller(), deps, { signal })
    if (query.startId !== undefined && !after)
      throw validationError([fieldError('startId', 'InvalidDataItem', `Unknown id '${query.startId}'`)])
    const page = pageOf(query, caller(), after)
    const found = isOfUnresolved(page) ? listUnresolved(deps, page) : await readIncidents(deps.store, page, { signal })
    return answerAll(found, (incident: ListedIncident) => presentIncident(incident, deps))
  },
})

function pageOf(query: IncidentsQuery, caller: Caller, after: IncidentRecord | null) {
  const { state, kind, severity, machineId, ruleId, start, end } = query
  const { direction = 'DESC', limit = maxIncidentsOfPage } = query
  const [fromMs, toMs] = [start, end].map(each => (each === undefined ? null : Date.parse(toInstant(each))))
  if (typeof fromMs === 'number' && typeof toMs === 'number' && fromMs >= toMs)
    throw validationError([fieldError('start', 'InvalidRange', 'start must be before end')])
  return {
    companyId: caller.company.id,
    states: state ?? (['open', 'acknowledged', 'resolved'] as const),
    kinds: (kind ?? alertKinds).filter(each => mayReadIncidents(each, caller.scopes)),
    severities: severity ?? null,
    machineIds: machineId?.map(canonicalId) ?? null,
    ruleIds: ruleId?.map(canonicalId) ?? null,
    fromMs: fromMs ?? null,
    toMs: toMs ?? null,
    direction,
    after: after && { startedMs: Date.parse(after.startedAt), id: after.id },
    limit,
  }
}

const getIncident = route(`GET ${path}/:id`, 'getIncident', {
  summary: 'One incident, with its notices and comments',
  example,
  scope: read,
  output: incidentResponse,
  handle: async (call, deps: ReadDeps) => presentIncident(await requireVisible(call, deps), deps),
})

/** Properties of the routes that change an incident. */
const changing = { example, scope: write, keyed: {}, output: incidentResponse }

/** Submits a command that changes the state of an incident; returns the incident. */
async function changeState(
  name: 'incident.acknowledge' | 'incident.resolve',
  call: Pick<Call, 'caller' | 'params' | 'signal'>,
  deps: WriteDeps,
) {
  const { id } = await requireVisible(call, deps)
  const by = actorOf(call.caller())
  return presentIncident(await submit(deps, call.caller(), name, { id, by }), deps)
}

const acknowledge = route(`POST ${path}/:id/acknowledge`, 'acknowledgeIncident', {
  summary: 'Acknowledge an incident',
  description:
    'Steps until `acknowledged` end. An acknowledged incident stays as it is. 409 if it is resolved or retracted.',
  ...changing,
  handle: (call, deps: WriteDeps) => changeState('incident.acknowledge', call, deps),
})

const resolve = route(`POST ${path}/:id/resolve`, 'resolveIncident', {
  summary: 'Resolve an incident',
  description:
    'Its steps end, and a call ends. `endedAt` of other incidents still follows the condition, which opens no other incident while it holds. 409 if the incident is resolved or retracted.',
  ...changing,
  handle: (call, deps: WriteDeps) => changeState('incident.resolve', call, deps),
})

const assign = route(`POST ${path}/:id/assign`, 'assignIncident', {
  summary: 'Assign an incident to a user',
  description: '`userId` null: no user is assigned. 409 if the incident is resolved or retracted.',
  ...changing,
  body: jsonBody(assignInput),
  async handle(call, deps: WriteDeps) {
    const { id } = await requireVisible(call, deps)
    const { userId } = call.body
    return presentIncident(await submit(deps, call.caller(), 'incident.assign', { id, userId }), deps)
  },
})

const comment = route(`POST ${path}/:id/comment`, 'commentIncident', {
  summary: 'Add a comment to an incident',
  description: 'In any state. 409 if the incident has 200 comments.',
  ...changing,
  body: jsonBody(commentInput),
  async handle(call, deps: WriteDeps) {
    const { id } = await requireVisible(call, deps)
    const { text } = call.body
    const by = actorOf(call.caller())
    return presentIncident(await submit(deps, call.caller(), 'incident.comment', { id, text, by }), deps)
  },
})

const call = route('POST /calls', 'openCall', {
  summary: 'Call for help, material or another kind',
  description:
    'Opens an incident of the oldest enabled rule that fits; without one, an incident without notices. If the machine has an unresolved call of this kind, adds a comment to it.',
  scope: write,
  keyed: {},
  body: jsonBody(callInput),
  output: incidentResponse,
  async handle({ caller, body }, deps: CommandsPort & RecordsPort) {
    const { machineId, kind, note = '' } = body
    const payload = { machineId, kind, note, by: actorOf(caller()) }
    return presentIncident(await submit(deps, caller(), 'call.open', payload), deps)
  },
})

export const incidentRoutes = [listIncidents, getIncident, acknowledge, assign, comment, resolve, call]

/** The caller as an incident names it. */
function actorOf({ kind, id, name }: Caller): IncidentActor {
  return { kind, id, name }
}

async function requireVisible(
  { caller, params, signal }: Pick<Call, 'caller' | 'params' | 'signal'>,
  deps: ReadDeps,
): Promise<IncidentRecord> {
  const found = await findVisible(pathId(params), caller(), deps, { signal })
  if (!found) throw notFound()
  return found
}

async function findVisible(
  id: string,
  caller: Caller,
  deps: ReadDeps,
  options: QueryOptions,
): Promise<IncidentRecord | null> {
  const found = await findRecord(deps, caller.company.id, 'incident', id, options)
  return found && mayReadIncidents(found.kind, caller.scopes) ? found : null
}
