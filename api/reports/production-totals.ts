import { formulaText } from '../../schema/formula-text.ts'
import { sumsIn } from '../../schema/formula.ts'
import { type MetricName, metrics } from '../../schema/metrics.ts'
import type { ProductionExplanation } from '../../schema/requests/production-explanation.ts'
import { sumMeanings, type SumName, unitOfSum } from '../../schema/sums.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import type { CompanyView } from './company/company-view.ts'
import { root } from './fold/group-tree.ts'
import { planReport, type ReportQueries, readTotals } from './pipeline.ts'
import { groupMetrics, rounded } from './present/metric-values.ts'
import { productionReport } from './production.ts'
import type { ProductionRequest } from './request/parse.ts'
import type { JobRunParts } from '../../schema/requests/job-dispatch.ts'

/** Metrics of a whole range with their formulas and sums, without groups. Rejects as `buildReport`. */
export async function explainProduction(
  body: unknown,
  view: CompanyView,
  queries: ReportQueries,
): Promise<ProductionExplanation> {
  const grouped = productionReport.parse(body)
  const { range } = await planReport(productionReport, grouped, view, queries)
  const request: ProductionRequest = { ...grouped, groupBy: [], file: null, range: { form: 'instants', ...range } }
  const folded = await readTotals(productionReport, request, view, queries)
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

/** A machine's time in which a run counts. */
export interface RunTime {
  readonly companyId: string
  readonly machineId: string
  readonly startMs: number
  /** Infinity while it is open. */
  readonly endMs: number
}

/**
 * A report of a machine's parts within the time of a run. The machine has no other run in that time, so rows are not
 * grouped by run, and parts count before their documents contain the run.
 */
function partsRequest({ machineId, startMs, endMs }: RunTime): ProductionRequest {
  return {
    report: 'production',
    range: { form: 'instants', startMs, endMs },
    metrics: ['totalParts', 'goodParts', 'scrapParts', 'nonconformParts'],
    groupBy: [],
    filters: { machine: [machineId] },
    file: null,
    flatten: false,
  }
}

/** Counts the whole parts of a run up to now; the total is the sum of the other counts. */
export async function countParts(run: RunTime, view: CompanyView, queries: ReportQueries): Promise<JobRunParts> {
  const folded = await readTotals(productionReport, partsRequest(run), view, queries)
  // Adding 0 makes -0 a 0.
  const whole = (name: SumName) => Math.round(folded.sums.get(name)?.[root] ?? 0) + 0
  const [goodParts, scrapParts, nonconformParts] = [whole('goodParts'), whole('scrapParts'), whole('nonconformParts')]
  return { totalParts: goodParts + scrapParts + nonconformParts, goodParts, scrapParts, nonconformParts }
}
