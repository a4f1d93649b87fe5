import { formulaText } from '../../schema/formula-text.ts'
import { sumsIn } from '../../schema/formula.ts'
import { type MetricName, metrics } from '../../schema/metrics.ts'
import type { ProductionExplanation } from '../../schema/requests/production-explanation.ts'
import { sumMeanings, type SumName, unitOfSum } from '../../schema/sums.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import type { CompanyView } from './company/company-view.ts'
import { root } from './fold/group-tree.ts'
import { type PipelineDeps, readTotals } from './pipeline.ts'
import { groupMetrics } from './present/metric-values.ts'
import { rounded } from './present/rounded.ts'
import { productionReport } from './production.ts'
import type { ProductionRequest } from './request/request.ts'

/**
 * Metrics of a whole range with their formulas, and the sums of these. Of the groupings only the range that they leave counts. Rejects as
 * `buildReport`.
 */
export async function explainProduction(
  body: unknown,
  view: CompanyView,
  deps: PipelineDeps,
  signal?: AbortSignal,
): Promise<ProductionExplanation> {
  const grouped = productionReport.parse(body)
  const { range } = productionReport.plan(grouped, view)
  const request: ProductionRequest = { ...grouped, groupBy: [], csv: false, range: { form: 'instants', ...range } }
  const { folded } = await readTotals(productionReport, request, view, deps, signal)
  const { valueAt } = groupMetrics(folded, request.metrics)
  const sums = new Set(request.metrics.flatMap(namesIn))
  return {
    range: { start: isoText(range.startMs), end: isoText(range.endMs) },
    metrics: Object.fromEntries(request.metrics.map((name, i) => [name, metricOf(name, valueAt(root, i))])),
    sums: Object.fromEntries([...sums].map(name => [name, sumOf(name, folded.sums.get(name)?.[root])])),
  }
}

function metricOf(name: MetricName, value: number | null) {
  const { title, unit, meaning, formula } = metrics[name]
  return { title, unit, meaning, formula: formulaText(formula), sums: namesIn(name), value }
}

function namesIn(name: MetricName): readonly SumName[] {
  return sumsIn(metrics[name].formula)
}

function sumOf(name: SumName, value = NaN) {
  // The minimum or maximum of nothing is infinite.
  return { unit: unitOfSum(name), meaning: sumMeanings[name], value: Number.isFinite(value) ? rounded(value) : null }
}
