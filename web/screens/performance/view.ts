import { type GroupingName, groupings, isTimeGrouping, reportDimensions } from '../../../schema/groupings.ts'
import { isMetricName, type MetricName } from '../../../schema/metrics.ts'
import { type Filter, filterBy, idsIn } from '../../data/production.ts'
import { comparisonOf, periodOf } from '../../reports/period-picker.tsx'
import type { AddressQuery } from '../../router/address.ts'
import type { PeriodChoice } from '../../time/period.ts'
import { type LossName, lossNames } from './losses.ts'

export type ProductionGrouping = (typeof reportDimensions.production.groupings)[number]
export type ProductionFilter = (typeof reportDimensions.production.filters)[number]

/** Dimensions that can be filtered by, under their names in the address. */
export const filterParameters = {
  machineGroup: 'group',
  machine: 'machine',
  jobOperation: 'job',
  operator: 'operator',
  shift: 'shift',
} as const satisfies Readonly<Record<ProductionFilter, string>>

export const filterNames = ['machineGroup', 'machine', 'shift', 'operator', 'jobOperation'] as const

/** The selected part of the report; the address contains all of it. */
export interface View {
  readonly choice: PeriodChoice
  /** The range to compare with; null: the previous period. */
  readonly against: PeriodChoice | null
  readonly by: ProductionGrouping
  /** Grouping within `by`; null: none. */
  readonly within: ProductionGrouping | null
  readonly metric: MetricName
  readonly filter: Filter
  /** The loss that is looked into; null: the biggest. */
  readonly loss: LossName | null
}

/** Reads the view of an address. */
export function viewOf(query: URLSearchParams): View {
  const metric = query.get('metric') ?? ''
  const filter = filterNames.map(name => [name, idsIn(query, filterParameters[name])] as const)
  const groupingAt = (place: string) => reportDimensions.production.groupings.find(name => name === query.get(place))
  const by = groupingAt('by') ?? 'machine'
  const within = groupingAt('within') ?? null
  return {
    choice: periodOf(query, 'week'),
    against: comparisonOf(query),
    by,
    within: within === by ? null : within,
    metric: isMetricName(metric) ? metric : 'oee',
    filter: filterBy(Object.fromEntries(filter)),
    loss: lossNames.find(name => name === query.get('loss')) ?? null,
  }
}

/** The only job operation of a filter; null: there is none, or several. */
export function onlyOperation({ jobOperation: [id, ...others] = [] }: Filter): string | null {
  return id === undefined || id === 'none' || others.length > 0 ? null : id
}

/** Changes of the address that lead a step into a group; null: there is no closer look. */
export function stepInto(view: View, group: GroupingName, row: DrillRow, days: number): AddressQuery | null {
  const within = isTimeGrouping(group) ? null : findParameter(group)
  if (within === null && !isTimeGrouping(group)) return null
  if (isTimeGrouping(group)) {
    const by = group === 'hour' ? 'machine' : group === 'day' ? 'hour' : 'day'
    // The range to compare with was one for the whole period.
    return { period: 'custom', from: row.from, to: row.to, againstFrom: null, againstTo: null, by }
  }
  if (group === 'machineGroup') return { group: row.id, by: 'machine' }
  const isOneMachine = group === 'machine' || view.filter.machine?.length === 1
  return { [within ?? '']: row.id, by: isOneMachine ? (days <= 2 ? 'hour' : 'day') : 'machine' }
}

/** A group that is stepped into: its id, or the wall times or shop dates that it lies between. */
export interface DrillRow {
  readonly id: string
  readonly from: string
  readonly to: string
}

function findParameter(group: GroupingName): string | null {
  const found = filterNames.find(name => name === group)
  return found === undefined || groupings[group].kind === 'time' ? null : filterParameters[found]
}

const thresholds = {
  oee: ['oeeWarningThreshold', 'oeeFailureThreshold'],
  partsGoal: ['partsGoalWarningThreshold', 'partsGoalFailureThreshold'],
  utilizationRate: ['utilizationWarningThreshold', 'utilizationFailureThreshold'],
} as const satisfies Partial<Record<MetricName, readonly [MetricName, MetricName]>>

/** Metrics of the thresholds of a metric: warning and failure; null: it has none. */
export function findThresholds(metric: MetricName): readonly [MetricName, MetricName] | null {
  return metric === 'oee' || metric === 'partsGoal' || metric === 'utilizationRate' ? thresholds[metric] : null
}

/** The grouping by time that suits a number of days. */
export function bucketOf(by: ProductionGrouping, days: number): 'hour' | 'day' | 'week' | 'month' | 'quarter' {
  if (isTimeGrouping(by)) return by
  if (days <= 2) return 'hour'
  if (days <= 62) return 'day'
  return days <= 400 ? 'week' : 'month'
}

/** Whether more of a metric is better (1) or worse (-1); 0: neither. */
export function directionOf(metric: MetricName): 1 | -1 | 0 {
  if (worse.has(metric)) return -1
  return better.has(metric) ? 1 : 0
}

const better: ReadonlySet<MetricName> = new Set([
  ...(['oee', 'ooe', 'teep', 'availability', 'performance', 'quality', 'utilizationRate', 'partsGoal'] as const),
  ...(['goodParts', 'totalParts', 'timeInCycle', 'scheduledTimeInCycle', 'averagePartsPerHour'] as const),
])
const worse: ReadonlySet<MetricName> = new Set([
  ...(['rejectedParts', 'scrapParts', 'nonconformParts', 'scrapRate', 'nonconformRate', 'downtime'] as const),
  ...(['unplannedDowntime', 'uncategorizedDowntime', 'productionDowntime', 'actualPartTime'] as const),
])
