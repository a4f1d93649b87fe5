import type { Formula } from '../../../schema/formula.ts'
import type { SumName } from '../../../schema/sums.ts'

/** Computes a formula for the group whose sums begin at `at`; NaN: the group has no such number. */
export type Computation = (sums: Float64Array, at: number) => number

/** Pure. `names`: the sums of a group, in their order. */
export function computation(formula: Formula, names: readonly SumName[]): Computation {
  const of = (part: Formula) => computation(part, names)
  switch (formula.op) {
    case 'sum':
      return sumAt(names.indexOf(formula.name))
    case 'number':
      return () => formula.value
    case 'plus':
      return plus(of(formula.left), of(formula.right))
    case 'minus':
      return minus(of(formula.left), of(formula.right))
    case 'over':
      return over(of(formula.left), of(formula.right))
    case 'clamp':
      return clamp(of(formula.of), formula.low, formula.high)
    case 'aboveZero':
      return where(of(formula.of), value => value > 0)
    case 'finite':
      return where(of(formula.of), Number.isFinite)
    case 'product':
      return product(formula.factors.map(of))
    case 'where':
      return given(of(formula.given), of(formula.value))
  }
}

function sumAt(index: number): Computation {
  if (index < 0) throw new Error('invariant: a formula reads a sum that nobody asked for')
  return (sums, at) => sums[at + index] ?? NaN
}

function plus(left: Computation, right: Computation): Computation {
  return (sums, at) => left(sums, at) + right(sums, at)
}

function minus(left: Computation, right: Computation): Computation {
  return (sums, at) => left(sums, at) - right(sums, at)
}

function over(left: Computation, right: Computation): Computation {
  return (sums, at) => {
    const divisor = right(sums, at)
    return divisor === 0 ? NaN : left(sums, at) / divisor
  }
}

function clamp(of: Computation, low: number, high: number): Computation {
  return (sums, at) => Math.min(Math.max(of(sums, at), low), high)
}

function where(of: Computation, isKept: (value: number) => boolean): Computation {
  return (sums, at) => {
    const value = of(sums, at)
    return isKept(value) ? value : NaN
  }
}

function product(factors: readonly Computation[]): Computation {
  return (sums, at) => {
    let result = 1
    for (const factor of factors) {
      const value = factor(sums, at)
      if (value === 0) return 0
      result *= value
    }
    return result
  }
}

function given(condition: Computation, value: Computation): Computation {
  return (sums, at) => (Number.isNaN(condition(sums, at)) ? NaN : value(sums, at))
}
