import type { EventSum } from '../../../schema/event-metrics.ts'
import type { Steps } from '../../../shared/async/steps.ts'
import { percentilesOf, type Rows, type RowSum } from '../fold/fold.ts'
import type { IncidentGrouping } from '../groupings/entity-resolvers.ts'
import type { PropertyGroups } from './groups.ts'
import type { MatchingIncident } from './read.ts'

/** Pure: one row per incident. `nowMs`: the instant of the request. */
export function* incidentRows(
  incidents: readonly MatchingIncident[],
  groups: Readonly<Record<IncidentGrouping, PropertyGroups>>,
  nowMs: number,
): Steps<Rows<EventSum>> {
  const acknowledgeMs = yield* column(incidents, each => untilOpened(each.acknowledgedMs, each))
  const resolveMs = yield* column(incidents, each => untilOpened(each.resolvedMs, each))
  const openMs = yield* column(incidents, each => untilOpened(each.resolvedMs ?? nowMs, each))
  const unacknowledged = yield* column(incidents, ({ acknowledgedMs }) => Number(acknowledgedMs === null))
  const unresolved = yield* column(incidents, ({ resolvedMs }) => Number(resolvedMs === null))
  const escalated = yield* column(incidents, ({ isEscalated }) => Number(isEscalated))
  const acknowledgePercentile = yield* percentilesOf(acknowledgeMs)
  const resolvePercentile = yield* percentilesOf(resolveMs)
  return {
    count: incidents.length,
    keys: {
      cell: yield* column(incidents, ({ startedMs }) => Math.floor(startedMs / 1000)),
      machine: yield* column(incidents, ({ machineRef }) => machineRef ?? 0),
      shift: yield* column(incidents, ({ shift }) => shift),
      operators: incidents.map(({ operators }) => operators),
      incident: groups.incident.numbers,
      rule: groups.rule.numbers,
      severity: groups.severity.numbers,
      kind: groups.kind.numbers,
      acknowledgedBy: groups.acknowledgedBy.numbers,
    },
    sums: new Map<EventSum, RowSum>([
      ['records', add(new Float64Array(incidents.length).fill(1))],
      ['amount', add(openMs)],
      ['acknowledgeMs', add(acknowledgeMs.map(zeroIfNone))],
      ['resolveMs', add(resolveMs.map(zeroIfNone))],
      ['unacknowledged', add(unacknowledged)],
      ['unresolved', add(unresolved)],
      ['escalated', add(escalated)],
      ['acknowledgeMsP50', acknowledgePercentile(50)],
      ['acknowledgeMsP90', acknowledgePercentile(90)],
      ['resolveMsP50', resolvePercentile(50)],
      ['resolveMsP90', resolvePercentile(90)],
    ]),
  }
}

function* column(
  incidents: readonly MatchingIncident[],
  valueOf: (incident: MatchingIncident) => number,
): Steps<Float64Array> {
  const values = Float64Array.from(incidents, valueOf)
  yield
  return values
}

function untilOpened(atMs: number | null, { openedMs }: MatchingIncident): number {
  return atMs === null ? Number.NaN : Math.max(0, atMs - openedMs)
}

function add(values: Float64Array): RowSum {
  return { how: 'add', values }
}

function zeroIfNone(ms: number): number {
  return Number.isNaN(ms) ? 0 : ms
}
