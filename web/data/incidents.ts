import type { IncidentItem } from '../../schema/requests/incidents.ts'
import type { Client } from './client.ts'

const pageSize = 200
/** Limit of the incidents that a page shows. */
export const maxShownIncidents = 5 * pageSize

/** Filters of the unresolved incidents that are read; a missing field: all. */
export interface OpenIncidentsQuery {
  readonly state?: readonly ('open' | 'acknowledged')[]
  readonly severity?: readonly IncidentItem['severity'][]
  /** Ids, at most 1,000 each. */
  readonly ruleId?: readonly string[]
  readonly machineId?: readonly string[]
}

/** Unresolved incidents of the company that a query selects, oldest first. More than the limit: the oldest. */
export async function readOpenIncidents(
  client: Client,
  selected: OpenIncidentsQuery = {},
): Promise<readonly IncidentItem[]> {
  const found: IncidentItem[] = []
  while (found.length < maxShownIncidents) {
    const startId = found.at(-1)?.id ?? null
    const page = { direction: 'ASC', startId, limit: String(pageSize) }
    const query = { state: ['open', 'acknowledged'], ...selected, ...page }
    const incidents = await client.call('GET /incidents', { query })
    found.push(...incidents)
    if (incidents.length < pageSize) break
  }
  return found
}
