import type { MetricName } from '../../../schema/metrics.ts'
import type { Client } from '../../data/client.ts'
import type { Filter, FlatProduction, ProductionBody } from '../../data/production.ts'
import type { ComparedRange, ReportRange } from '../../time/period.ts'
import { lossMetrics } from './losses.ts'
import { bucketOf, type ProductionGrouping, findThresholds, type View } from './view.ts'

/** Figures at the head of the screen. */
export const headFigures = ['oee', 'availability', 'performance', 'quality', 'goodParts', 'unplannedDowntime'] as const

/** Reports of a view, each with that of the range before. */
export interface PerformanceData {
  /** View of the request; the user may have selected another one since. */
  readonly key: string
  readonly view: View
  readonly days: number
  readonly groups: FlatProduction
  readonly groupsBefore: FlatProduction
  readonly trend: FlatProduction
  readonly trendBefore: FlatProduction
  readonly machines: FlatProduction
  /** Groups within groups; null: there is no grouping within the first. */
  readonly nested: FlatProduction | null
}

/** Body of the report that the table shows. */
export function tableRequest(view: View, { range }: ComparedRange): ProductionBody {
  const body = request(range, view.by, tableMetrics(view), view.filter)
  return view.within === null ? body : { ...body, groupBy: [view.by, view.within] }
}

/** Metrics of the table: the selected one first. */
export function tableMetrics({ metric }: View): readonly MetricName[] {
  return [...new Set<MetricName>([metric, ...headFigures])]
}

/** Loads the reports of a view, side by side. */
export async function loadPerformance(
  client: Client,
  key: string,
  view: View,
  range: ComparedRange,
): Promise<PerformanceData> {
  const bucket = bucketOf(view.by, range.days)
  const limits = findThresholds(view.metric) ?? []
  const groupMetrics = [...new Set([...tableMetrics(view), ...lossMetrics, ...limits, ...headLimits])]
  const query = (body: ProductionBody) => client.call('POST /reports/production', { body })
  // The heads and one column of the table show the range before.
  const metricsBefore = [...new Set<MetricName>([...tableMetrics(view), 'allTime'])]
  const overTime = (part: ReportRange) => query(request(part, bucket, [view.metric, ...limits], view.filter))
  const nestedIn = (inner: ProductionGrouping) => {
    const body = request(range.range, view.by, [...new Set([...tableMetrics(view), ...limits])], view.filter)
    return query({ ...body, groupBy: [view.by, inner] })
  }
  const [groups, groupsBefore, trend, trendBefore, machines, nested] = await Promise.all([
    query(request(range.range, view.by, groupMetrics, view.filter)),
    query(request(range.before, view.by, metricsBefore, view.filter)),
    view.by === bucket ? null : overTime(range.range),
    view.by === bucket ? null : overTime(range.before),
    view.by === 'machine' ? null : query(request(range.range, 'machine', lossMetrics, view.filter)),
    view.within === null ? null : nestedIn(view.within),
  ])
  return {
    key,
    view,
    days: range.days,
    groups,
    groupsBefore,
    trend: trend ?? groups,
    trendBefore: trendBefore ?? groupsBefore,
    machines: machines ?? groups,
    nested,
  }
}

const headLimits = ['oeeWarningThreshold', 'oeeFailureThreshold'] as const satisfies readonly MetricName[]

/** Body of a report of flat rows. */
export function request(
  range: ReportRange,
  by: ProductionGrouping,
  data: readonly MetricName[],
  filter: Filter,
): ProductionBody {
  return { ...range, data, groupBy: [by], filter, flatten: true }
}
