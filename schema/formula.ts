import type { SumName } from './sums.ts'

/**
 * Formula of a metric over the sums of a group, as an expression tree. The service evaluates it for a group, the store
 * for all rows of a file; both return the same value. If an operand is null, the result is null, unless the operator
 * states otherwise.
 */
export type Formula =
  | { readonly op: 'sum'; readonly name: SumName }
  | { readonly op: 'number'; readonly value: number }
  | { readonly op: 'plus' | 'minus' | 'over'; readonly left: Formula; readonly right: Formula }
  | { readonly op: 'clamp'; readonly of: Formula; readonly low: number; readonly high: number }
  | { readonly op: 'aboveZero' | 'finite'; readonly of: Formula }
  | { readonly op: 'product'; readonly factors: readonly Formula[] }
  | { readonly op: 'where'; readonly condition: Formula; readonly value: Formula }

export function sum(name: SumName): Formula {
  return { op: 'sum', name }
}

export function constant(value: number): Formula {
  return { op: 'number', value }
}

export function plus(left: Formula, right: Formula): Formula {
  return { op: 'plus', left, right }
}

export function minus(left: Formula, right: Formula): Formula {
  return { op: 'minus', left, right }
}

/** Quotient; null if the divisor is 0. */
export function over(left: Formula, right: Formula): Formula {
  return { op: 'over', left, right }
}

/** Limits a value to [low, high]. */
export function clamp(of: Formula, low: number, high: number): Formula {
  return { op: 'clamp', of, low, high }
}

/** The value if it is above 0, otherwise null. */
export function aboveZero(of: Formula): Formula {
  return { op: 'aboveZero', of }
}

/** The value if it is finite, otherwise null: the minimum and maximum of no values are infinite. */
export function finite(of: Formula): Formula {
  return { op: 'finite', of }
}

/** A product that is 0 if a factor is 0, also if another factor is null. */
export function product(...factors: readonly Formula[]): Formula {
  return { op: 'product', factors }
}

/** `value` if `condition` is not null, otherwise null. */
export function where(condition: Formula, value: Formula): Formula {
  return { op: 'where', condition, value }
}

/** Returns the names of the sums that a formula reads, each once. */
export function sumsIn(formula: Formula): readonly SumName[] {
  return [...new Set(namesIn(formula))]
}

function namesIn(formula: Formula): readonly SumName[] {
  return formula.op === 'sum' ? [formula.name] : partsOf(formula).flatMap(namesIn)
}

function partsOf(formula: Formula): readonly Formula[] {
  switch (formula.op) {
    case 'sum':
    case 'number':
      return []
    case 'plus':
    case 'minus':
    case 'over':
      return [formula.left, formula.right]
    case 'clamp':
    case 'aboveZero':
    case 'finite':
      return [formula.of]
    case 'product':
      return formula.factors
    case 'where':
      return [formula.condition, formula.value]
  }
}
