import { type MetricName, metrics } from '../../../schema/metrics.ts'
import type { SumName } from '../../../schema/sums.ts'
import { blockSize, computation } from './compute.ts'
import type { Folded } from '../fold/fold.ts'
import type { Group } from '../fold/group-tree.ts'
import type { GroupValues } from './presenter.ts'
import { rounded } from './rounded.ts'

/** An answer goes through each level from its first group to its last: there are hardly more levels than that. */
const mostBlocks = 16

/** Pure: the metrics of groups, null for a missing value. Groups without any time are omitted. */
export function groupMetrics({ sums }: Sums, names: readonly MetricName[]): GroupValues<number | null> {
  const allTime = sums.get('allMs')
  return { names, valueAt: metricAt({ sums }, names), isThere: group => (allTime?.[group] ?? 0) > 0 }
}

type Sums = Pick<Folded<SumName>, 'sums'>

/** A metric of a group, by its index among the requested ones. Computed per block of groups at the first access. */
function metricAt(folded: Sums, wanted: readonly MetricName[]) {
  const compute = blockOf(folded, wanted)
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
function blockOf(folded: Sums, wanted: readonly MetricName[]) {
  const computations = wanted.map(name => computation(metrics[name].formula, sum => sumOf(folded, sum)))
  const [anySum = new Float64Array()] = folded.sums.values()
  return (number: number): Float64Array => {
    const from = number * blockSize
    const count = Math.min(blockSize, anySum.length - from)
    const block = new Float64Array(wanted.length * blockSize)
    for (const [index, of] of computations.entries()) {
      const values = of(from, count)
      for (let i = 0; i < count; i++) block[index * blockSize + i] = rounded(values[i] ?? NaN)
    }
    return block
  }
}

function sumOf({ sums }: Sums, name: SumName): Float64Array {
  const found = sums.get(name)
  if (!found) throw new Error(`invariant: not requested: ${name}`)
  return found
}
