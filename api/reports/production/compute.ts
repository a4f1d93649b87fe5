import type { Formula } from '../../../schema/formula.ts'
import type { SumName } from '../../../schema/sums.ts'

/** Computes a formula for a group, by its number; NaN: it has no such number. */
export type Computation = (group: number) => number

/** Pure. `column`: a sum of all groups. */
export function computation(formula: Formula, column: (name: SumName) => Float64Array): Computation {
  const of = (part: Formula) => computation(part, column)
  switch (formula.op) {
    case 'sum':
      return sumIn(column(formula.name))
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

function sumIn(column: Float64Array): Computation {
  return group => column[group] ?? NaN
}

function plus(left: Computation, right: Computation): Computation {
  return group => left(group) + right(group)
}

function minus(left: Computation, right: Computation): Computation {
  return group => left(group) - right(group)
}

function over(left: Computation, right: Computation): Computation {
  return group => {
    const divisor = right(group)
    return divisor === 0 ? NaN : left(group) / divisor
  }
}

function clamp(of: Computation, low: number, high: number): Computation {
  return group => Math.min(Math.max(of(group), low), high)
}

function where(of: Computation, isKept: (value: number) => boolean): Computation {
  return group => {
    const value = of(group)
    return isKept(value) ? value : NaN
  }
}

function product(factors: readonly Computation[]): Computation {
  return group => {
    let result = 1
    for (const factor of factors) {
      const value = factor(group)
      if (value === 0) return 0
      result *= value
    }
    return result
  }
}

function given(condition: Computation, value: Computation): Computation {
  return group => (Number.isNaN(condition(group)) ? NaN : value(group))
}
