import { compareTexts } from '../../shared/collections/compare-texts.ts'

const plainDecimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Value of an unavailable data item, for every type. */
export const unavailableValue = 'UNAVAILABLE'

/**
 * Parses a decimal number (sign, digits, point, exponent); null for other strings and for numbers beyond the range of a
 * double.
 */
export function parseDecimal(text: string): number | null {
  if (!plainDecimal.test(text)) return null
  const number = Number(text)
  // `+ 0` converts -0, which is serialized differently, to 0.
  return Number.isFinite(number) ? number + 0 : null
}

/** Returns whether the value of a switch (SPINDLE_ROTATING, CUTTING) means on. */
export function isOn(value: string): boolean {
  const word = value.toUpperCase()
  return word === 'TRUE' || word === 'ACTIVE' || word === 'ON'
}

/** Compares values: numbers by size, before other strings; other strings by code units. */
export function compareValues(a: string, b: string): number {
  if (a === b) return 0
  const numberA = parseDecimal(a)
  const numberB = parseDecimal(b)
  if (numberA !== null && numberB !== null) return numberA - numberB
  if (numberA !== null) return -1
  return numberB !== null ? 1 : compareTexts(a, b)
}
