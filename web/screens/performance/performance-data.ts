import type { MetricName } from '../../../schema/metrics.ts'
import { isTimeGrouping } from '../../../schema/groupings.ts'
import type { Client } from '../../data/client.ts'
import type { Filter, FlatProduction, ProductionBody } from '../../data/production.ts'
import type { ComparedRange, ReportRange } from '../../time/period.ts'
import { lossMetrics } from './losses.ts'
import { bucketOf, type ProductionGrouping, findThresholds, type View } from './view.ts'

/** Figures at the head of the screen. */
export const headFigures = ['oee', 'availability', 'performance', 'quality', 'goodParts', 'unplannedDowntime'] as const

/** Figures of a view as a whole and over time, each with that of the range before. */
export interface Overview {
  /** View of the request; the user may have selected another one since. */
  readonly key: string
  readonly view: View
  readonly range: ComparedRange
  readonly trend: FlatProduction
  readonly trendBefore: FlatProduction
}

/** All reports of a view. */
export interface PerformanceData extends Overview {
  readonly groups: FlatProduction
  readonly groupsBefore: FlatProduction
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

function limitsOf({ metric }: View): readonly MetricName[] {
  return findThresholds(metric) ?? []
}

/** Loads the overview of a view: two short reports, so that its figures do not wait for those of many groups. */
export async function loadOverview(client: Client, key: string, view: View, range: ComparedRange): Promise<Overview> {
  const bucket = bucketOf(view.by, range.days)
  const query = (part: ReportRange, data: readonly MetricName[]) =>
    client.call('POST /reports/production', { body: request(part, bucket, data, view.filter) })
  const metrics = [...tableMetrics(view), ...limitsOf(view)]
  const [trend, trendBefore] = await Promise.all([
    query(range.range, [...new Set([...metrics, ...lossMetrics, ...headLimits])]),
    query(range.before, [...new Set([...metrics, 'allTime' as const])]),
  ])
  return { key, view, range, trend, trendBefore }
}

/** Adds the reports of groups and machines to an overview; they are loaded side by side. */
export async function loadGroups(client: Client, overview: Overview): Promise<PerformanceData> {
  const { view, range, trend, trendBefore } = overview
  const isTrend = isTimeGrouping(view.by)
  const figures = new Set([...tableMetrics(view), ...limitsOf(view)])
  const query = (part: ReportRange, groupBy: readonly ProductionGrouping[], data: ReadonlySet<MetricName>) =>
    client.call('POST /reports/production', {
      body: { ...part, data: [...data], groupBy, filter: view.filter, flatten: true },
    })
  const losses = new Set(lossMetrics)
  const [groups, groupsBefore, machines, nested] = await Promise.all([
    isTrend ? trend : query(range.range, [view.by], view.by === 'machine' ? new Set([...figures, ...losses]) : figures),
    // One column of the table shows the range before.
    isTrend ? trendBefore : query(range.before, [view.by], new Set([view.metric])),
    view.by === 'machine' ? null : query(range.range, ['machine'], losses),
    view.within === null ? null : query(range.range, [view.by, view.within], figures),
  ])
  return { ...overview, groups, groupsBefore, machines: machines ?? groups, nested }
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
