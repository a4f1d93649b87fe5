import { parseSync } from 'oxc-parser'

/** A change of a source: `replacement` in place of the characters `start` to `end`. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly operator?: string
  readonly value?: unknown
  readonly test?: Node
  readonly left?: Node
  readonly right?: Node
  readonly argument?: Node | null
  readonly expression?: Node
  readonly body?: unknown
}

type Mutator = (node: Node, source: string) => readonly Mutant[]

const operators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

const removable = new Set(['CallExpression', 'AwaitExpression', 'AssignmentExpression'])

const mutators: Readonly<Record<string, Mutator>> = {
  BinaryExpression: swapOperator,
  LogicalExpression: swapOperator,
  IfStatement: negateTest,
  ConditionalExpression: negateTest,
  UnaryExpression: (node, source) =>
    node.operator === '!' && node.argument ? [replace(node, textOf(node.argument, source))] : [],
  Literal: node => (typeof node.value === 'boolean' ? [replace(node, String(!node.value))] : []),
  ReturnStatement: node => (node.argument ? [replace(node, 'return undefined')] : []),
  ExpressionStatement: node => (node.expression && removable.has(node.expression.type) ? [replace(node, ';')] : []),
  BlockStatement: node => (Array.isArray(node.body) && node.body.length > 1 ? [replace(node, '{}')] : []),
}

/** Nodes that are not executed. */
const isDeclarative = /^TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|^ImportDeclaration$/

/**
 * Returns all mutants of a TypeScript source: swapped operators, negated conditions, changed booleans, removed statements, returned values
 * and bodies. Types and imports are not mutated. Throws if the source cannot be parsed.
 */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, source)
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  const mutants: Mutant[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (isNode(value) && !isDeclarative.test(value.type)) {
      mutants.push(...(mutators[value.type]?.(value, source) ?? []))
      Object.values(value).forEach(visit)
    }
  }
  visit(program.body)
  return mutants
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function textOf({ start, end }: Node, source: string): string {
  return source.slice(start, end)
}

function replace({ start, end }: Node, replacement: string): Mutant {
  return { start, end, replacement }
}

function negateTest({ test }: Node, source: string): readonly Mutant[] {
  return test ? [replace(test, `!(${textOf(test, source)})`)] : []
}

function swapOperator({ operator = '', left, right }: Node, source: string): readonly Mutant[] {
  const swapped = operators[operator]
  if (swapped === undefined || !left || !right) return []
  const start = source.indexOf(operator, left.end)
  return start < right.start ? [{ start, end: start + operator.length, replacement: swapped }] : []
}
