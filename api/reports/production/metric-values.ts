import { type MetricName, metrics } from '../../../schema/metrics.ts'
import type { SumName } from '../../../schema/sums.ts'
import { blockSize, computation } from './compute.ts'
import type { Group } from './group-tree.ts'
import { rounded } from './rounded.ts'

/** The sums of a report's groups. */
export interface GroupedSums {
  readonly names: readonly SumName[]
  /** In the order of the names, each by group. */
  readonly sums: readonly Float64Array[]
  /** How many groups there are. */
  readonly groups: number
}

/** An answer goes through each level from its first group to its last: there are hardly more levels than that. */
const mostBlocks = 16

/** A metric of a group, by its index among those wanted; null: it has no such number. Computed a block of groups at a time, when first asked for. */
export function metricValues(grouped: GroupedSums, wanted: readonly MetricName[]) {
  const compute = blockOf(grouped, wanted)
  const known = new Map<number, Float64Array>()
  let current = -1
  let values: Float64Array = new Float64Array()
  const blockAt = (number: number) => {
    const block = known.get(number) ?? compute(number)
    known.delete(number)
    known.set(number, block)
    const [oldest] = known.keys()
    if (known.size > mostBlocks && oldest !== undefined) known.delete(oldest)
    return block
  }
  return (group: Group, index: number): number | null => {
    const number = Math.floor(group / blockSize)
    if (number !== current) {
      values = blockAt(number)
      current = number
    }
    const value = values[index * blockSize + (group % blockSize)] ?? NaN
    return Number.isNaN(value) ? null : value
  }
}

/** The metrics of a block's groups, one after the other. */
function blockOf({ names, sums, groups }: GroupedSums, wanted: readonly MetricName[]) {
  const column = (name: SumName) => {
    const found = sums[names.indexOf(name)]
    if (!found) throw new Error(`invariant: nobody asked for ${name}`)
    return found
  }
  const computations = wanted.map(name => computation(metrics[name].formula, column))
  return (number: number): Float64Array => {
    const from = number * blockSize
    const count = Math.min(blockSize, groups - from)
    const block = new Float64Array(wanted.length * blockSize)
    for (const [index, of] of computations.entries()) {
      const values = of(from, count)
      for (let i = 0; i < count; i++) block[index * blockSize + i] = rounded(values[i] ?? NaN)
    }
    return block
  }
}
