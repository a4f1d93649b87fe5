import {
  type IncidentPage,
  type ListedIncident,
  newestFirst,
  toListed,
} from '../../clickhouse/projections/incidents.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { instantText } from '../../shared/time/instant.ts'
import type { RecordsPort } from '../ports/ports.ts'

/** Whether a page has unresolved incidents only, all of which are in memory: the application polls such pages. */
export function isOfUnresolved({ states }: Pick<IncidentPage, 'states'>): boolean {
  return states.every(state => state === 'open' || state === 'acknowledged')
}

/** Returns a page of unresolved incidents, equal to that of `readIncidents`. */
export function listUnresolved({ records }: RecordsPort, page: IncidentPage): readonly ListedIncident[] {
  const selects = selectorOf(page)
  const found = records.list('incident', page.companyId).filter(selects)
  return found.toSorted(newestFirst).slice(0, page.limit).map(toListed)
}

function selectorOf(page: IncidentPage): (incident: IncidentRecord) => boolean {
  const { states, kinds, severities, machineIds, ruleIds, fromMs, toMs, after } = page
  const [fromAt, toAt, afterAt] = [fromMs, toMs, after?.startedMs ?? null].map(textOf)
  return incident =>
    isOneOf(states, incident.state) &&
    isOneOf(kinds, incident.kind) &&
    isOneOf(severities, incident.severity) &&
    isOneOf(ruleIds, incident.ruleId ?? '') &&
    (machineIds === null || (incident.subject.type === 'machine' && machineIds.includes(incident.subject.id))) &&
    (fromAt == null || incident.endedAt === null || incident.endedAt > fromAt) &&
    (toAt == null || incident.startedAt < toAt) &&
    (afterAt == null || isAfter(incident, afterAt, after?.id ?? ''))
}

function textOf(ms: number | null): string | null {
  return ms === null ? null : instantText(ms)
}

function isOneOf(values: readonly string[] | null, value: string): boolean {
  return values === null || values.includes(value)
}

/** Whether an incident follows one with a start and id, newest first. */
function isAfter({ startedAt, id }: IncidentRecord, afterAt: string, afterId: string): boolean {
  return startedAt < afterAt || (startedAt === afterAt && id < afterId)
}
