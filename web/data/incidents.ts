import type { IncidentItem } from '../../schema/requests/incidents.ts'
import type { Client } from './client.ts'

const pageSize = 200
/** Limit of the incidents that a page shows. */
export const maxShownIncidents = 5 * pageSize

/** Unresolved incidents of the company, or of a machine, oldest first. More than the limit: the oldest. */
export async function readOpenIncidents(
  client: Client,
  machineId: string | null = null,
): Promise<readonly IncidentItem[]> {
  const found: IncidentItem[] = []
  while (found.length < maxShownIncidents) {
    const startId = found.at(-1)?.id ?? null
    const query = { state: ['open', 'acknowledged'], machineId, direction: 'ASC', startId, limit: String(pageSize) }
    const incidents = await client.call('GET /incidents', { query })
    found.push(...incidents)
    if (incidents.length < pageSize) break
  }
  return found
}
