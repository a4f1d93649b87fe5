import type { AlertKind } from '../../../schema/records/alert-condition.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import type { Steps } from '../../../shared/async/steps.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { byRef, type EntityResolver, type IncidentGrouping, named } from '../groupings/entity-resolvers.ts'
import type { MatchingIncident } from './read.ts'

/** A grouping by a property of incidents. */
interface Property {
  /** null: the incident does not have it. */
  readonly idOf: (incident: MatchingIncident) => string | null
  readonly entityOf: (incident: MatchingIncident) => { readonly name: string; readonly [field: string]: unknown }
  readonly order?: EntityResolver['order']
}

const properties: Readonly<Record<IncidentGrouping, Property>> = {
  incident: {
    idOf: ({ id }) => id,
    entityOf: ({ kind, subjectName, startedMs }) => ({
      name: shownName(kind, subjectName),
      startedAt: isoText(startedMs),
    }),
    order: ({ startedAt }) => [String(startedAt)],
  },
  rule: { idOf: ({ ruleId }) => ruleId, entityOf: ({ kind, ruleName }) => ({ name: shownName(kind, ruleName) }) },
  severity: { idOf: ({ severity }) => severity, entityOf: ({ severity }) => ({ name: severity }) },
  kind: { idOf: ({ kind }) => kind, entityOf: ({ kind }) => ({ name: kind }) },
  acknowledgedBy: {
    idOf: ({ acknowledgedById }) => acknowledgedById,
    entityOf: ({ acknowledgedByName }) => ({ name: acknowledgedByName }),
  },
}

/** Callers may lack `connector.read`: the names of connectors, and of rules on them, which may contain these, are not shown. */
function shownName(kind: AlertKind, name: string): string {
  return kind === 'connector' ? 'Connector' : name
}

/** The groups of a property: the number of the group of each incident, 0: it has none; and the resolver of the numbers. */
export interface PropertyGroups {
  readonly numbers: Int32Array
  readonly resolver: EntityResolver
}

/** Groups incidents, ascending by start, by their properties. A group has the name of its last incident. */
export function* groupByProperties(
  incidents: readonly MatchingIncident[],
): Steps<Readonly<Record<IncidentGrouping, PropertyGroups>>> {
  return {
    incident: yield* groupByProperty('incident', incidents),
    rule: yield* groupByProperty('rule', incidents),
    severity: yield* groupByProperty('severity', incidents),
    kind: yield* groupByProperty('kind', incidents),
    acknowledgedBy: yield* groupByProperty('acknowledgedBy', incidents),
  }
}

function* groupByProperty(grouping: IncidentGrouping, incidents: readonly MatchingIncident[]): Steps<PropertyGroups> {
  const { idOf, entityOf, order } = properties[grouping]
  const numberOf = new Map<string, number>()
  const groups: { readonly id: string; readonly last: MatchingIncident }[] = []
  const numbers = new Int32Array(incidents.length)
  for (const [index, incident] of incidents.entries()) {
    yield
    const id = idOf(incident)
    if (id === null) continue
    const number = numberOf.get(id) ?? numberOf.size + 1
    numberOf.set(id, number)
    groups[number] = { id, last: incident }
    numbers[index] = number
  }
  const find: EntityResolver['find'] = (_, number) => {
    const group = typeof number === 'number' ? groups[number] : undefined
    return group ? [{ id: group.id, ...entityOf(group.last) }] : []
  }
  return { numbers, resolver: { key: grouping, find, ...(order && { order }) } }
}

/** Finds machines, of which incidents of connectors and of the system have none. */
export const machineResolver: EntityResolver = {
  key: 'machine',
  find: byRef((view, ref) => named(view.machine(asMachineRef(ref)))),
}
