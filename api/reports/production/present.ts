import { type MetricName, metrics } from '../../../schema/metrics.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { Dimension } from '../dimensions.ts'
import type { Presenter } from '../presenter.ts'
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
  const allTime = sums[plan.sums.indexOf('allMs')] ?? new Float64Array()
  const isThere = (group: Group) => (allTime[group] ?? 0) > 0
  return {
    root,
    groups: dimensions.map(({ group }) => group),
    childrenOf: group => tree.childrenOf(group, isThere),
    memberOf: group => tree.memberOf(group),
    membersAt: level => tree.membersAt(level + 1, isThere),
    names: request.metrics,
    valueAt: valuesIn(sums, plan.sums, request.metrics),
  }
}

/** A metric of a group by its index among those asked for. */
function valuesIn(
  sums: readonly Float64Array[],
  sumNames: readonly SumName[],
  wanted: readonly MetricName[],
): (group: Group, index: number) => number | null {
  const column = (name: SumName) => {
    const found = sums[sumNames.indexOf(name)]
    if (!found) throw new Error(`invariant: nobody asked for ${name}`)
    return found
  }
  const computations = wanted.map(name => computation(metrics[name].formula, column))
  return (group, index) => {
    const value = rounded(computations[index]?.(group) ?? NaN)
    return Number.isNaN(value) ? null : value
  }
}
