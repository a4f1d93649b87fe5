import { type MetricName, metrics } from '../../../schema/metrics.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { Dimension } from '../dimensions.ts'
import {
  type Aggregate,
  cellRows,
  createPresenter,
  presentGroups,
  type Presenter,
  type ReportBody,
} from '../present.ts'
import { recordOf } from '../record-of.ts'
import type { ProductionRequest } from '../request.ts'
import type { Folded, Group } from './fold.ts'
import type { Plan } from './plan.ts'

/** Pure: the metrics of every group, in order. Groups without any time are left out. */
export function present(
  request: ProductionRequest,
  plan: Plan,
  folded: Folded,
  dimensions: readonly Dimension[],
): ReportBody {
  return presentGroups(presenterOf(request, plan, folded, dimensions), folded.root, {
    flatten: request.flatten,
    range: plan.range,
  })
}

/** Pure: the same as rows of cells, made one by one: see `cellRows`. */
export function presentRows(
  request: ProductionRequest,
  plan: Plan,
  folded: Folded,
  dimensions: readonly Dimension[],
): Iterable<readonly (number | string | null)[]> {
  return cellRows(presenterOf(request, plan, folded, dimensions), folded.root, request.metrics)
}

function presenterOf(
  request: ProductionRequest,
  plan: Plan,
  { sums }: Folded,
  dimensions: readonly Dimension[],
): Presenter<Group, number | null> {
  const allTime = plan.sums.indexOf('allMs')
  return createPresenter(dimensions, {
    aggregate: aggregator(request.metrics, plan.sums, sums),
    isThere: ({ at }) => (sums[at + allTime] ?? 0) > 0,
  })
}

/** Metrics of a group, in the order asked for. */
function aggregator(
  names: readonly MetricName[],
  sumNames: readonly SumName[],
  sums: Float64Array,
): (group: Group) => Aggregate {
  const wanted = names.map(name => ({ name, value: metrics[name].value }))
  // One object for all groups: formulas read it and keep nothing.
  const read: Record<SumName, number> = recordOf(sumNames, 0)
  return ({ at }) => {
    for (const [s, name] of sumNames.entries()) read[name] = sums[at + s] ?? 0
    const aggregate: Record<string, number | null> = {}
    for (const { name, value } of wanted) aggregate[name] = clean(value(read))
    return aggregate
  }
}

/**
 * Without what adding fractions leaves on a number: a whole one, or one of ten digits. So a report is the same to the last
 * digit whenever it is asked for, in whatever order its parts were added.
 */
function clean(value: number | null): number | null {
  if (value === null) return null
  const size = Math.abs(value)
  const whole = Math.round(value)
  // Adding 0 makes -0 a 0.
  if (Math.abs(value - whole) <= 1e-9 * Math.max(1, size)) return whole + 0
  return inTenDigits(value, size)
}

function inTenDigits(value: number, size: number): number {
  const decimals = 9 - Math.floor(Math.log10(size))
  const scale = 10 ** Math.abs(decimals)
  return decimals >= 0 ? Math.round(value * scale) / scale : Math.round(value / scale) * scale
}
