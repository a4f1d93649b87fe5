import { byStart, type IncidentPage, type ListedIncident, toListed } from '../../clickhouse/projections/incidents.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { firstSorted } from '../../shared/collections/first-sorted.ts'
import { instantText } from '../../shared/time/instant.ts'
import type { RecordsPort } from '../ports/ports.ts'

/** Whether a page has unresolved incidents only, all of which are in memory: the application polls such pages. */
export function isOfUnresolved({ states }: Pick<IncidentPage, 'states'>): boolean {
  return states.every(state => state === 'open' || state === 'acknowledged')
}

/** Returns a page of unresolved incidents, equal to that of `readIncidents`. */
export function listUnresolved({ records }: RecordsPort, page: IncidentPage): readonly ListedIncident[] {
  const selects = selectorOf(page)
  const found = records.incidents.unresolved(page.companyId).filter(selects)
  return firstSorted(found, page.limit, byStart(page.direction)).map(toListed)
}

function selectorOf(page: IncidentPage): (incident: IncidentRecord) => boolean {
  const { states, kinds, severities, machineIds, ruleIds, fromMs, toMs } = page
  const [fromAt, toAt] = [fromMs, toMs].map(textOf)
  const isAfter = isAfterOf(page)
  return incident =>
    isOneOf(states, incident.state) &&
    isOneOf(kinds, incident.kind) &&
    isOneOf(severities, incident.severity) &&
    isOneOf(ruleIds, incident.ruleId ?? '') &&
    (machineIds === null || (incident.subject.type === 'machine' && machineIds.includes(incident.subject.id))) &&
    (fromAt == null || incident.endedAt === null || incident.endedAt > fromAt) &&
    (toAt == null || incident.startedAt < toAt) &&
    isAfter(incident)
}

function textOf(ms: number | null): string | null {
  return ms === null ? null : instantText(ms)
}

function isOneOf(values: readonly string[] | null, value: string): boolean {
  return values === null || values.includes(value)
}

/** Whether an incident follows the one after which the page begins, in the direction of the page. */
function isAfterOf({ after, direction }: IncidentPage): (incident: IncidentRecord) => boolean {
  if (after === null) return () => true
  const last = { startedAt: instantText(after.startedMs), id: after.id }
  const compare = byStart(direction)
  return incident => compare(incident, last) > 0
}
