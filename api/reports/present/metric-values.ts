import { type MetricName, metrics } from '../../../schema/metrics.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { Folded } from '../fold/fold.ts'
import type { GroupValues } from './present.ts'
import type { Formula } from '../../../schema/formula.ts'
import { type Sql, sql } from '../../../clickhouse/sql/sql.ts'

/** Maximum number of cached blocks: a response reads each level from its first group to its last. */
const maxBlocks = 16

/** Pure: the metrics of groups, null for a missing value. Groups without any time are omitted. */
export function groupMetrics(
  { sums }: Pick<Folded<SumName>, 'sums'>,
  names: readonly MetricName[],
): GroupValues<number | null> {
  const columnOf = (name: SumName) => {
    const column = sums.get(name)
    if (!column) throw new Error(`invariant: not requested: ${name}`)
    return column
  }
  const computations = names.map(name => computation(metrics[name].formula, columnOf))
  const [anySum = new Float64Array()] = sums.values()
  const blocks = new Map<number, Float64Array>()
  /** The metrics of a block's groups, one after the other. */
  const computeBlock = (number: number) => {
    const from = number * blockSize
    const count = Math.min(blockSize, anySum.length - from)
    const block = new Float64Array(names.length * blockSize)
    for (const [index, compute] of computations.entries()) {
      const values = compute(from, count)
      for (let i = 0; i < count; i++) block[index * blockSize + i] = rounded(values[i] ?? NaN)
    }
    return block
  }
  const blockAt = (number: number) => {
    const block = blocks.get(number) ?? computeBlock(number)
    blocks.delete(number)
    blocks.set(number, block)
    const [oldest] = blocks.keys()
    if (blocks.size > maxBlocks && oldest !== undefined) blocks.delete(oldest)
    return block
  }
  let current = -1
  let values: Float64Array = new Float64Array()
  const allTime = sums.get('allMs')
  return {
    names,
    valueAt(group, index) {
      const number = Math.floor(group / blockSize)
      if (number !== current) {
        values = blockAt(number)
        current = number
      }
      const value = values[index * blockSize + (group % blockSize)] ?? NaN
      return Number.isNaN(value) ? null : value
    },
    isShown: group => (allTime?.[group] ?? 0) > 0,
  }
}

/** Maximum number of groups that are computed together. */
export const blockSize = 1024

/** Computes a formula for the groups from a number on; NaN: there is no such number. What it gives holds until it is called again. */
type Computation = (from: number, count: number) => Float64Array

/** Pure. `column`: a sum of all groups. A block at a time, as loops over numbers. */
export function computation(formula: Formula, column: (name: SumName) => Float64Array): Computation {
  const of = (part: Formula) => computation(part, column)
  switch (formula.op) {
    case 'sum': {
      const sums = column(formula.name)
      return (from, count) => sums.subarray(from, from + count)
    }
    case 'number': {
      const block = new Float64Array(blockSize).fill(formula.value)
      return () => block
    }
    case 'plus':
      return ofTwo(of(formula.left), of(formula.right), (left, right) => left + right)
    case 'minus':
      return ofTwo(of(formula.left), of(formula.right), (left, right) => left - right)
    case 'over':
      return ofTwo(of(formula.left), of(formula.right), (left, right) => (right === 0 ? NaN : left / right))
    case 'clamp':
      return ofOne(of(formula.of), value => Math.min(Math.max(value, formula.low), formula.high))
    case 'aboveZero':
      return ofOne(of(formula.of), value => (value > 0 ? value : NaN))
    case 'finite':
      return ofOne(of(formula.of), value => (Number.isFinite(value) ? value : NaN))
    case 'product':
      return product(formula.factors.map(of))
    case 'where':
      return ofTwo(of(formula.condition), of(formula.value), (condition, value) =>
        Number.isNaN(condition) ? NaN : value,
      )
  }
}

function ofOne(of: Computation, compute: (value: number) => number): Computation {
  const block = new Float64Array(blockSize)
  return (from, count) => {
    const values = of(from, count)
    for (let i = 0; i < count; i++) block[i] = compute(values[i] ?? NaN)
    return block
  }
}

function ofTwo(left: Computation, right: Computation, compute: (left: number, right: number) => number): Computation {
  const block = new Float64Array(blockSize)
  return (from, count) => {
    const ofLeft = left(from, count)
    const ofRight = right(from, count)
    for (let i = 0; i < count; i++) block[i] = compute(ofLeft[i] ?? NaN, ofRight[i] ?? NaN)
    return block
  }
}

/** 0 if a factor is 0, also if another factor is null. */
function product(factors: readonly Computation[]): Computation {
  const block = new Float64Array(blockSize)
  const isZero = new Uint8Array(blockSize)
  return (from, count) => {
    block.fill(1)
    isZero.fill(0)
    for (const factor of factors) {
      const values = factor(from, count)
      for (let i = 0; i < count; i++) {
        const value = values[i] ?? NaN
        block[i] = (block[i] ?? NaN) * value
        if (value === 0) isZero[i] = 1
      }
    }
    for (let i = 0; i < count; i++) if (isZero[i] === 1) block[i] = 0
    return block
  }
}

/**
 * Removes the error of adding fractions: rounds to a whole number or to ten digits. So a report has the same digits in
 * any order of addition. NaN stays NaN.
 */
export function rounded(value: number): number {
  const size = Math.abs(value)
  const whole = Math.floor(value + 0.5)
  // Adding 0 makes -0 a 0.
  if (Math.abs(value - whole) <= 1e-9 * Math.max(1, size)) return whole + 0
  return inTenDigits(value, size)
}

function inTenDigits(value: number, size: number): number {
  const decimals = 9 - Math.floor(Math.log10(size))
  const scale = 10 ** Math.abs(decimals)
  return decimals >= 0 ? Math.floor(value * scale + 0.5) / scale : Math.floor(value / scale + 0.5) * scale
}

/** Pure: the same of a Float64 column, which it reads several times. */
export function roundedSql(value: Sql): Sql {
  const whole = sql`floor(${value} + 0.5)`
  const decimals = sql`(9 - floor(log10(abs(${value}))))`
  const scale = sql`exp10(abs(${decimals}))`
  const inTenDigitsSql = sql`if(${decimals} >= 0, floor(${value} * ${scale} + 0.5) / ${scale}, floor(${value} / ${scale} + 0.5) * ${scale})`
  return sql`if(abs(${value} - ${whole}) <= 1e-9 * greatest(1, abs(${value})), ${whole} + 0, ${inTenDigitsSql})`
}
