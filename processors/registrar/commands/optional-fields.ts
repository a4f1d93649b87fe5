import { thresholdNames } from '../../../schema/threshold-names.ts'
import type { Thresholds } from '../../../schema/records/thresholds.ts'

/** Fields of a record in a request, each of which may be omitted or null. */
export type OptionalFields<T> = { readonly [K in keyof T]?: T[K] | null }
export type OptionalThresholds = OptionalFields<Thresholds> | null

/** Returns the defaults, replaced by the provided values. Fields without a default are ignored. */
export function withDefaults<T extends object>(defaults: T, input: OptionalFields<T>): T {
  const result = { ...defaults }
  for (const key in defaults) {
    const value = input[key]
    if (value !== undefined && value !== null) result[key] = value
  }
  return result
}

/** Returns the provided thresholds, without null values. */
export function providedThresholds(input: OptionalThresholds | undefined): Partial<Thresholds> {
  return Object.fromEntries(
    thresholdNames.flatMap(name => (typeof input?.[name] === 'number' ? [[name, input[name]]] : [])),
  )
}
