import type { ListedIncident } from '../../clickhouse/projections/incidents.ts'
import type { AlertKind } from '../../schema/records/alert-condition.ts'
import { scopesToRead } from '../../schema/records/incident.ts'
import { allOf, permits } from '../auth/scopes.ts'
import type { RecordsPort } from '../ports/ports.ts'

/** Returns an incident of a response: with the name of its user, which the record does not have, because users change. */
export function presentIncident<I extends ListedIncident>(incident: I, { records }: RecordsPort) {
  const { companyId, ...shown } = incident
  const { assignedTo } = incident
  const user = assignedTo === null ? null : records.get('user', companyId, assignedTo)
  return { ...shown, assignedName: user?.displayName ?? null }
}

/** Whether a caller with these scopes may read the incidents of a kind. */
export function mayReadIncidents(kind: AlertKind, scopes: readonly string[]): boolean {
  return permits(allOf(...scopesToRead(kind)), scopes)
}
