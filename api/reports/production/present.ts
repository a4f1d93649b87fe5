import { type MetricName, metrics } from '../../../schema/metrics.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { Dimension } from '../dimensions.ts'
import { createPresenter, type Presenter } from '../present.ts'
import type { ProductionRequest } from '../request.ts'
import { computation } from './compute.ts'
import type { Folded } from './fold.ts'
import { type Group, root } from './group-tree.ts'
import type { Plan } from './plan.ts'
import { rounded } from './rounded.ts'

/** Pure: the metrics of every group. Groups without any time are left out. */
export function present(
  request: ProductionRequest,
  plan: Plan,
  { tree, sums }: Folded,
  dimensions: readonly Dimension[],
): Presenter<Group, number | null> {
  const allTime = plan.sums.indexOf('allMs')
  const width = plan.sums.length
  return createPresenter(dimensions, {
    root,
    childrenOf: group => tree.childrenOf(group),
    memberOf: group => tree.memberOf(group),
    isThere: group => (sums[group * width + allTime] ?? 0) > 0,
    names: request.metrics,
    valuesOf: valuesIn(sums, plan.sums, request.metrics),
  })
}

/** The metrics of a group, in the order asked for. */
function valuesIn(
  sums: Float64Array,
  sumNames: readonly SumName[],
  wanted: readonly MetricName[],
): (group: Group) => (number | null)[] {
  const compute = wanted.map(name => computation(metrics[name].formula, sumNames))
  return group =>
    compute.map(of => {
      const value = rounded(of(sums, group * sumNames.length))
      return Number.isNaN(value) ? null : value
    })
}
