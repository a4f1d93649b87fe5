import { type MetricName, metrics } from '../../../schema/metrics.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { Dimension } from '../dimensions.ts'
import type { Presenter } from '../presenter.ts'
import { recordOf } from '../record-of.ts'
import type { ProductionRequest } from '../request.ts'
import type { Folded } from './fold.ts'
import { type Group, root } from './group-tree.ts'
import type { Plan } from './plan.ts'

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
  const formulas = wanted.map(name => metrics[name].value)
  // One object for all groups: formulas read it and keep nothing.
  const read: Record<SumName, number> = recordOf(sumNames, 0)
  let current: Group | null = null
  return (group, index) => {
    if (group !== current) {
      let i = 0
      for (const name of sumNames) read[name] = sums[i++]?.[group] ?? 0
      current = group
    }
    return clean(formulas[index]?.(read) ?? null)
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
