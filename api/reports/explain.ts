import { formulaText } from '../../schema/formula-text.ts'
import { sumsIn } from '../../schema/formula.ts'
import { type MetricName, metrics } from '../../schema/metrics.ts'
import type { ProductionExplanation } from '../../schema/requests/production-explanation.ts'
import { sumMeanings, type SumName, unitOfSum } from '../../schema/sums.ts'
import { inSlices } from '../../shared/async/steps.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { askingFor } from './ask/asking.ts'
import { folding } from './fold/fold.ts'
import { root } from './fold/group-tree.ts'
import { type PipelineDeps, readColumns } from './pipeline.ts'
import type { Circumstances } from './plan/plan.ts'
import { groupMetrics } from './present/metric-values.ts'
import { rounded } from './present/rounded.ts'
import { productionReport } from './production.ts'
import type { ProductionRequest } from './request/request.ts'
import { explained } from './run/too-large.ts'

/** Metrics of a whole range with their formulas, and the sums that were put into these. Of the groupings only the range that they leave counts. */
export async function explainProduction(
  asked: ProductionRequest,
  circumstances: Circumstances,
  deps: PipelineDeps,
  signal?: AbortSignal,
): Promise<ProductionExplanation> {
  const { range } = productionReport.plan({ ...asked, csv: false }, circumstances)
  const request: ProductionRequest = { ...asked, groupBy: [], csv: false, range: { form: 'instants', ...range } }
  const plan = productionReport.plan(request, circumstances)
  const asking = askingFor(deps, { companyRef: plan.companyRef, report: 'production' }, signal)
  const columns = await explained(
    readColumns(productionReport, { plan, view: circumstances.view }, { ...deps, ...asking }),
  )
  const folded = await inSlices(folding(productionReport.rows(plan, columns), []))
  const { valueAt } = groupMetrics(folded, request.metrics)
  const sums = new Set(request.metrics.flatMap(namesIn))
  return {
    range: { start: isoText(plan.range.startMs), end: isoText(plan.range.endMs) },
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
  // A least or greatest value over nothing is an infinity.
  return { unit: unitOfSum(name), meaning: sumMeanings[name], value: Number.isFinite(value) ? rounded(value) : null }
}
