import type { MappingRule } from '../../schema/records/connector.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'

/** Why a rule gives no sample; counted as `unmapped`. */
export class Problem {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** How the values of a rule are converted. */
export interface Conversion {
  readonly isInverted: boolean
  /** Values by text; null: all values stay. */
  readonly map: ReadonlyMap<string, string> | null
  /** Value for every other text; null: the other texts have none. */
  readonly rest: string | null
  readonly isNumeric: boolean
  readonly scale: number
  readonly offset: number
  /** Number of decimals; null: all. */
  readonly decimals: number | null
  readonly problems: {
    readonly noValue: Problem
    readonly notInvertible: Problem
    readonly notInMap: Problem
    readonly notNumeric: Problem
  }
}

/** Compiles the conversion of a rule; `place` names the rule in problems, such as `rules[3]`. */
export function compileConversion(rule: MappingRule, place: string): Conversion {
  const { invert = false, map, scale, offset, round } = rule
  const entries = Object.entries(map ?? {}).filter(([text]) => text !== restKey)
  return {
    isInverted: invert,
    map: map === undefined ? null : new Map(entries),
    rest: map !== undefined && Object.hasOwn(map, restKey) ? (map[restKey] ?? null) : null,
    isNumeric: scale !== undefined || offset !== undefined || round !== undefined,
    scale: scale ?? 1,
    offset: offset ?? 0,
    decimals: round ?? null,
    problems: {
      noValue: new Problem(`${place}.value is not a text, number or boolean`),
      notInvertible: new Problem(`${place}.invert requires true, false, 1 or 0`),
      notInMap: new Problem(`${place}.map has no such text`),
      notNumeric: new Problem(`${place}.scale, offset and round require a number`),
    },
  }
}

const restKey = '*'

type Scalar = string | number | boolean | null

/**
 * Converts a value: `invert`, then `map`, then `scale`, `offset` and `round`. UNAVAILABLE means that there is no value
 * and stays, unless `map` names it.
 */
export function convertValue(found: unknown, conversion: Conversion): string | number | Problem {
  const { map, rest, problems } = conversion
  if (!isScalar(found)) return problems.noValue
  const isUnavailable = isUnavailableText(found)
  const inverted = conversion.isInverted && !isUnavailable ? invert(found) : found
  if (inverted === undefined) return problems.notInvertible
  if (map === null) return inverted === null ? problems.noValue : convertNumber(inverted, conversion)
  const mapped = map.get(String(inverted)) ?? (isUnavailable ? unavailableValue : rest)
  return mapped === null ? problems.notInMap : convertNumber(mapped, conversion)
}

function convertNumber(value: string | number | boolean, conversion: Conversion): string | number | Problem {
  if (isUnavailableText(value)) return unavailableValue
  if (!conversion.isNumeric) return typeof value === 'boolean' ? String(value) : value
  const number = toNumber(value)
  if (number === null) return conversion.problems.notNumeric
  const scaled = number * conversion.scale + conversion.offset
  if (!Number.isFinite(scaled)) return conversion.problems.notNumeric
  return conversion.decimals === null ? scaled : Number(scaled.toFixed(conversion.decimals))
}

/** Returns the number of a value, also of a decimal number as text; null: it has none. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || !/^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value)) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

/** Returns undefined for a value that is not a boolean in any form. */
function invert(value: Scalar): Scalar | undefined {
  if (typeof value === 'boolean') return !value
  if (value === 0 || value === 1) return 1 - value
  return typeof value === 'string' ? inverses.get(value.toLowerCase()) : undefined
}

const inverses = new Map([
  ['true', 'false'],
  ['false', 'true'],
  ['1', '0'],
  ['0', '1'],
])

function isUnavailableText(value: Scalar): boolean {
  return (
    typeof value === 'string' && value.length === unavailableValue.length && value.toUpperCase() === unavailableValue
  )
}

/** Whether a value of JSON is a text, number, boolean or null. */
export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
