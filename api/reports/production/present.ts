import type { GroupingLevel } from '../grouping-levels.ts'
import type { Presenter } from '../presenter.ts'
import type { ProductionRequest } from '../request.ts'
import type { Folded } from './fold.ts'
import { type Group, root } from './group-tree.ts'
import { metricValues } from './metric-values.ts'
import type { Plan } from './plan.ts'

/** Pure: the metrics of every group. Groups without any time are left out. */
export function present(
  request: ProductionRequest,
  plan: Plan,
  { tree, sums }: Folded,
  dimensions: readonly GroupingLevel[],
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
    valueAt: metricValues({ names: plan.sums, sums, groups: tree.size }, request.metrics),
  }
}
