import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import { byNaturalOrder } from '../../data/natural-order.ts'
import { idsIn } from '../../data/production.ts'

/** Parts of the open incidents. `mine`: those assigned to the user. */
export const incidentParts = ['open', 'acknowledged', 'mine'] as const
type IncidentPart = (typeof incidentParts)[number]

/** Filter of the open incidents. Ids; empty: all. */
export interface IncidentFilter {
  /** null: all. */
  readonly part: IncidentPart | null
  /** `none`: incidents without a rule. */
  readonly rules: readonly string[]
  readonly machines: readonly string[]
  /** `none`: machines in no group. */
  readonly groups: readonly string[]
}

const noRule = 'none'

/** Reads the filter from the query of the address. */
export function incidentFilterOf(query: URLSearchParams): IncidentFilter {
  return {
    part: incidentParts.find(each => each === query.get('state')) ?? null,
    rules: idsIn(query, 'rule'),
    machines: idsIn(query, 'machine'),
    groups: idsIn(query, 'group'),
  }
}

interface Known {
  /** Ids of the machines that the filter selects; null: incidents of connectors and the system, too. */
  readonly machineIds: readonly string[] | null
  /** null: the viewer is a key. */
  readonly userId: string | null
}

/** Returns the incidents that the filter selects, in their order. */
export function filterIncidents<Item extends IncidentItem>(
  incidents: readonly Item[],
  { part, rules }: Pick<IncidentFilter, 'part' | 'rules'>,
  { machineIds, userId }: Known,
): readonly Item[] {
  const ids = machineIds && new Set(machineIds)
  return incidents.filter(
    incident =>
      (part === null || isIn(part, incident, userId)) &&
      (rules.length === 0 || rules.includes(incident.ruleId ?? noRule)) &&
      (ids === null || (incident.subject.type === 'machine' && ids.has(incident.subject.id))),
  )
}

/** Counts the incidents of a part. */
export function countPart(incidents: readonly IncidentItem[], part: IncidentPart, userId: string | null): number {
  return incidents.filter(incident => isIn(part, incident, userId)).length
}

function isIn(part: IncidentPart, { state, assignedTo }: IncidentItem, userId: string | null): boolean {
  return part === 'mine' ? userId !== null && assignedTo === userId : state === part
}

/** Returns the rules of incidents, by name. */
export function rulesOf(
  incidents: readonly IncidentItem[],
  withoutRule: string,
): readonly { readonly id: string; readonly name: string }[] {
  const names = new Map(
    incidents.map(({ ruleId, ruleName }) =>
      ruleId === null ? ([noRule, withoutRule] as const) : ([ruleId, ruleName ?? ruleId] as const),
    ),
  )
  return [...names].map(([id, name]) => ({ id, name })).sort((a, b) => byNaturalOrder(a.name, b.name))
}
