import type { SumName } from './sums.ts'

/**
 * A metric's formula over the sums of a group, as a tree: the service computes it for a group, the store for all rows of a file, and
 * both make the same of it. A part without a value makes the whole one without a value, unless a part says otherwise.
 */
export type Formula =
  | { readonly op: 'sum'; readonly name: SumName }
  | { readonly op: 'number'; readonly value: number }
  | { readonly op: 'plus' | 'minus' | 'over'; readonly left: Formula; readonly right: Formula }
  | { readonly op: 'clamp'; readonly of: Formula; readonly low: number; readonly high: number }
  | { readonly op: 'aboveZero' | 'finite'; readonly of: Formula }
  | { readonly op: 'product'; readonly factors: readonly Formula[] }
  | { readonly op: 'where'; readonly given: Formula; readonly value: Formula }

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

/** A quotient; none over 0. */
export function over(left: Formula, right: Formula): Formula {
  return { op: 'over', left, right }
}

/** Brought into [low, high]. */
export function clamp(of: Formula, low: number, high: number): Formula {
  return { op: 'clamp', of, low, high }
}

/** None unless it is above 0. */
export function aboveZero(of: Formula): Formula {
  return { op: 'aboveZero', of }
}

/** Null for an infinity, such as the minimum or maximum over nothing. */
export function finite(of: Formula): Formula {
  return { op: 'finite', of }
}

/** A product that is 0 if a factor is 0, also if another factor is null. */
export function product(...factors: readonly Formula[]): Formula {
  return { op: 'product', factors }
}

/** The value where there is one of `given`, too. */
export function where(given: Formula, value: Formula): Formula {
  return { op: 'where', given, value }
}

/** The sums that a formula reads. */
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
      return [formula.given, formula.value]
  }
}
