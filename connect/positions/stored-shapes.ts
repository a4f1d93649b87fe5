import { type Schema, unsafe } from '../../schema/types.ts'

/** Instant in UTC µs, within the years that a date can have. */
export const instantUs = unsafe<number>({ type: 'number', minimum: -8e18, maximum: 8e18 })

/** Returns the schema of an array with exactly these items. */
export function tuple(...items: readonly Schema[]): Schema {
  const json = { type: 'array', items, minItems: items.length, maxItems: items.length }
  return unsafe<readonly unknown[]>(json)
}
