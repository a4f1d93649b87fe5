import type { Formula } from './formula.ts'

/** Returns a formula in mathematical notation with the names of sums, without the rules for null values. */
export function formulaText(formula: Formula): string {
  switch (formula.op) {
    case 'sum':
      return formula.name
    case 'number':
      return String(formula.value)
    case 'plus':
      return `${formulaText(formula.left)} + ${formulaText(formula.right)}`
    case 'minus':
      return `${formulaText(formula.left)} - ${inBrackets(formula.right, additions)}`
    case 'over':
      return `${inBrackets(formula.left, additions)} / ${inBrackets(formula.right, operations)}`
    case 'clamp':
      return `clamp(${[formulaText(formula.of), formula.low, formula.high].join(', ')})`
    case 'aboveZero':
    case 'finite':
      return formulaText(formula.of)
    case 'product':
      return formula.factors.map(factor => inBrackets(factor, operations)).join(' x ')
    case 'where':
      return formulaText(formula.value)
  }
}

type Operation = Formula['op']
const additions: ReadonlySet<Operation> = new Set(['plus', 'minus'])
const operations: ReadonlySet<Operation> = new Set(['plus', 'minus', 'over', 'product'])

function inBrackets(formula: Formula, among: ReadonlySet<Operation>): string {
  const text = formulaText(formula)
  return among.has(formula.op) ? `(${text})` : text
}
