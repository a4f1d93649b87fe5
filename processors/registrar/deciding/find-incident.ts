import type { IncidentRecord } from '../../../schema/records/incident.ts'
import { canonicalId } from '../../records/record-ids.ts'
import type { CompanyContext } from './command.ts'
import { notFound } from './command-rejection.ts'

/** Returns an incident of the company, in memory or else in the store; 404 if there is none. Throws `NotRead`. */
export function findIncident(id: string, context: CompanyContext): IncidentRecord {
  const found = lookUpIncident(id, context)
  if (!found) throw notFound()
  return found
}

/** Returns an incident of the company, in memory or else in the store; null if there is none. Throws `NotRead`. */
export function lookUpIncident(id: string, { records, stored, company }: CompanyContext): IncidentRecord | null {
  const request = { kind: 'incident', companyId: company.id, id: canonicalId(id) } as const
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record of the kind of the request
  return (records.get('incident', company.id, id) ?? stored.get('record', request)) as IncidentRecord | null
}
