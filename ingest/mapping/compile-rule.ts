import type { MappingRule } from '../../schema/records/connector.ts'
import { parsePath, type ValuePath } from '../../schema/value-path.ts'
import { maxNameLength, maxTextLength } from '../decode/fields.ts'
import { compileConversion, type Conversion, convertValue, isScalar, Problem } from './convert-value.ts'
import { findValue } from './find-values.ts'
import { readTimeUs } from './read-time.ts'

/** Fields of a sample that a rule reads as texts. */
const textFields = ['nativeCode', 'nativeSeverity', 'qualifier', 'message'] as const
type TextField = (typeof textFields)[number]

/** Limits of the texts of a sample, UTF-16 units. */
const maxLengths = {
  value: maxTextLength,
  nativeCode: maxNameLength,
  nativeSeverity: maxNameLength,
  qualifier: maxNameLength,
  message: maxTextLength,
} as const satisfies Record<'value' | TextField, number>

interface CompiledPath extends ValuePath {
  readonly noMatch: Problem
}

interface CompiledText extends CompiledPath {
  readonly maxLength: number
  readonly tooLong: Problem
}

/** A rule of a mapping whose paths are parsed. */
export interface CompiledRule {
  readonly rule: MappingRule
  readonly each: CompiledPath | null
  /** Bytes of `equals`; null: the rule has none. */
  readonly equals: Buffer | null
  readonly value: CompiledText
  readonly time: CompiledPath | null
  readonly noTime: Problem
  readonly texts: readonly (readonly [TextField, CompiledText])[]
  readonly conversion: Conversion
}

/** Compiles a rule; throws for a path that the schema of the rule does not accept. */
export function compileRule(rule: MappingRule, index: number): CompiledRule {
  const place = `rules[${index}]`
  const compile = (field: 'each' | 'value' | 'time' | TextField, text: string): CompiledPath => {
    const path = parsePath(text)
    if (path === null) throw new Error(`invariant: ${place}.${field} was validated`)
    return { ...path, noMatch: new Problem(`${place}.${field} has no match`) }
  }
  const compileText = (field: 'value' | TextField, text: string): CompiledText => {
    const maxLength = maxLengths[field]
    const tooLong = new Problem(`${place}.${field} has more than ${maxLength} characters`)
    return { ...compile(field, text), maxLength, tooLong }
  }
  return {
    rule,
    each: rule.each === undefined ? null : compile('each', rule.each),
    equals: rule.equals === undefined ? null : Buffer.from(rule.equals),
    value: compileText('value', rule.value ?? (rule.each === undefined ? '$' : '@')),
    time: rule.time === undefined ? null : compile('time', rule.time),
    noTime: new Problem(`${place}.time is not a time`),
    texts: textFields.flatMap(name => {
      const text = rule[name]
      return text === undefined ? [] : [[name, compileText(name, text)] as const]
    }),
    conversion: compileConversion(rule, place),
  }
}

/** Values that a rule reads from a payload. */
export interface RuleValues {
  readonly value: string | number
  /** null: the rule has none. */
  readonly texts: { readonly [Field in TextField]?: string } | null
}

/** Reads the value and the texts of a rule. `element`: that of `each`, otherwise the payload. */
export function readValues(compiled: CompiledRule, payload: unknown, element: unknown): RuleValues | Problem {
  const found = find(compiled.value, payload, element)
  if (found === undefined) return compiled.value.noMatch
  const value = convertValue(found, compiled.conversion)
  if (value instanceof Problem) return value
  if (isTooLong(value, compiled.value)) return compiled.value.tooLong
  const texts = compiled.texts.length === 0 ? null : readTexts(compiled, payload, element)
  return texts instanceof Problem ? texts : { value, texts }
}

function readTexts({ texts }: CompiledRule, payload: unknown, element: unknown): RuleValues['texts'] | Problem {
  const found: { [Field in TextField]?: string } = {}
  for (const [name, path] of texts) {
    const text = find(path, payload, element)
    if (!isScalar(text) || text === null) return path.noMatch
    if (isTooLong(text, path)) return path.tooLong
    found[name] = String(text)
  }
  return found
}

function find(path: CompiledPath, payload: unknown, element: unknown): unknown {
  return findValue(path.root === '@' ? element : payload, path)
}

function isTooLong(value: unknown, { maxLength }: CompiledText): boolean {
  return typeof value === 'string' && value.length > maxLength
}

/** Reads the time of a rule that has one, UTC µs. */
export function readTime({ time, noTime, rule }: CompiledRule, payload: unknown, element: unknown): number | Problem {
  if (time === null) throw new Error('invariant: the rule has a time')
  const found = find(time, payload, element)
  return found === undefined ? time.noMatch : (readTimeUs(found, rule.timeUnit) ?? noTime)
}
