import type { EventSum } from '../../../schema/event-metrics.ts'
import { percentilesOf, type Rows, type RowSum } from '../fold/fold.ts'
import type { groupByProperties } from './groups.ts'
import type { MatchingIncident } from './read.ts'

/** Pure: one row per incident. `nowMs`: the instant of the request. */
export function incidentRows(
  incidents: readonly MatchingIncident[],
  groups: ReturnType<typeof groupByProperties>,
  nowMs: number,
): Rows<EventSum> {
  const column = (of: (incident: MatchingIncident) => number) => Float64Array.from(incidents, of)
  const untilOpened = (atMs: number | null, { openedMs }: MatchingIncident) =>
    atMs === null ? Number.NaN : Math.max(0, atMs - openedMs)
  const acknowledgeMs = column(each => untilOpened(each.acknowledgedMs, each))
  const resolveMs = column(each => untilOpened(each.resolvedMs, each))
  const add = (values: Float64Array): RowSum => ({ how: 'add', values })
  const [acknowledgePercentile, resolvePercentile] = [percentilesOf(acknowledgeMs), percentilesOf(resolveMs)]
  return {
    count: incidents.length,
    keys: {
      cell: column(({ startedMs }) => Math.floor(startedMs / 1000)),
      machine: Uint32Array.from(incidents, ({ machineRef }) => machineRef ?? 0),
      shift: Uint32Array.from(incidents, ({ shift }) => shift),
      operators: incidents.map(({ operators }) => operators),
      incident: groups.incident.numbers,
      rule: groups.rule.numbers,
      severity: groups.severity.numbers,
      kind: groups.kind.numbers,
      acknowledgedBy: groups.acknowledgedBy.numbers,
    },
    sums: new Map<EventSum, RowSum>([
      ['records', add(column(() => 1))],
      ['amount', add(column(each => untilOpened(each.resolvedMs ?? nowMs, each)))],
      ['acknowledgeMs', add(acknowledgeMs.map(zeroIfNone))],
      ['resolveMs', add(resolveMs.map(zeroIfNone))],
      ['unacknowledged', add(column(({ acknowledgedMs }) => Number(acknowledgedMs === null)))],
      ['unresolved', add(column(({ resolvedMs }) => Number(resolvedMs === null)))],
      ['escalated', add(column(({ isEscalated }) => Number(isEscalated)))],
      ['acknowledgeMsP50', acknowledgePercentile(50)],
      ['acknowledgeMsP90', acknowledgePercentile(90)],
      ['resolveMsP50', resolvePercentile(50)],
      ['resolveMsP90', resolvePercentile(90)],
    ]),
  }
}

function zeroIfNone(ms: number): number {
  return Number.isNaN(ms) ? 0 : ms
}
