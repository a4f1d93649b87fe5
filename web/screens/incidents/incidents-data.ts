import type { Client } from '../../data/client.ts'
import type { IncidentValues } from '../../data/incident-report.ts'
import { type Filter, filterBy, type FlatNames, idIn } from '../../data/production.ts'
import type { Chosen } from '../../reports/machine-filters.tsx'
import type { ReportRange } from '../../time/period.ts'

/** Groupings that the screen offers. */
export const incidentGroupings = ['machine', 'shift', 'rule', 'acknowledgedBy'] as const
type IncidentGrouping = (typeof incidentGroupings)[number]

/** The selection in the address. `of`: id of the group whose incidents are listed; null: all groups. */
export interface IncidentView {
  readonly group: IncidentGrouping
  readonly of: string | null
  readonly chosen: Chosen
}

export type IncidentRow = IncidentValues & FlatNames

/** Maximum number of incidents that are listed. */
export const maxListed = 2_000

/**
 * Loads the groups, the chosen group (null: none, or one without incidents), and its incidents or those of all groups; null:
 * there are too many.
 */
export async function loadIncidents(client: Client, range: ReportRange, { group, of, chosen }: IncidentView) {
  const filter = filterBy({ machine: chosen.machines, machineGroup: chosen.groups })
  const report = (groupBy: readonly (IncidentGrouping | 'incident' | 'kind')[], more: Filter = {}) =>
    client.call('POST /reports/incident', {
      body: { ...range, groupBy, filter: { ...filter, ...more }, flatten: true },
    })
  const groups = await report([group])
  const chosenRow = groups.items.find(row => (idIn(row, group) || 'none') === of) ?? null
  const count = (chosenRow ?? groups.aggregate).recordCount ?? 0
  const only: Filter = of === null || chosenRow === null ? {} : { [group]: [of] }
  const listed =
    count > 0 && count <= maxListed ? await report(['incident', 'kind', 'rule', 'acknowledgedBy'], only) : null
  return { groups, chosenRow, incidents: count > maxListed ? null : (listed?.items ?? []) }
}
