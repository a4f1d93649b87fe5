import type { Formula } from '../../../schema/formula.ts'
import type { SumName } from '../../../schema/sums.ts'

/** Maximum number of groups that are computed together. */
export const blockSize = 1024

/** Computes a formula for the groups from a number on; NaN: there is no such number. What it gives holds until it is called again. */
export type Computation = (from: number, count: number) => Float64Array

/** Pure. `column`: a sum of all groups. A block at a time, as loops over numbers. */
export function computation(formula: Formula, column: (name: SumName) => Float64Array): Computation {
  const of = (part: Formula) => computation(part, column)
  switch (formula.op) {
    case 'sum':
      return sumIn(column(formula.name))
    case 'number':
      return always(formula.value)
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
      return ofTwo(of(formula.condition), of(formula.value), (given, value) => (Number.isNaN(given) ? NaN : value))
  }
}

function sumIn(column: Float64Array): Computation {
  return (from, count) => column.subarray(from, from + count)
}

function always(value: number): Computation {
  const block = new Float64Array(blockSize).fill(value)
  return () => block
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
