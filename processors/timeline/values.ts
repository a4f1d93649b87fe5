const plainDecimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** The value that says that there is none, for every type. */
export const unavailableValue = 'UNAVAILABLE'

/** The number that a text holds as a plain decimal (sign, digits, point, exponent); null for any other text and beyond a double's range. */
export function decimalOf(text: string): number | null {
  if (!plainDecimal.test(text)) return null
  const number = Number(text)
  // `+ 0` turns -0, which compares equal but prints differently, into 0.
  return Number.isFinite(number) ? number + 0 : null
}

/** Whether a switch's value (SPINDLE_ROTATING, CUTTING) says that it is on. */
export function isOn(value: string): boolean {
  const word = value.toUpperCase()
  return word === 'TRUE' || word === 'ACTIVE' || word === 'ON'
}

/** Order of texts by code units. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Order of values: numbers by size, before texts; texts by code units. */
export function compareValues(a: string, b: string): number {
  if (a === b) return 0
  const numberA = decimalOf(a)
  const numberB = decimalOf(b)
  if (numberA !== null && numberB !== null) return numberA - numberB
  if (numberA !== null) return -1
  return numberB !== null ? 1 : compareTexts(a, b)
}
