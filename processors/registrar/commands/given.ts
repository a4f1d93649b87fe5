import { thresholdNames } from '../../../schema/threshold-names.ts'
import type { Thresholds } from '../../../schema/records/thresholds.ts'

/** The fields of a record that a caller may send: any field left out or null. */
export type Given<T> = { readonly [K in keyof T]?: T[K] | null }
export type GivenThresholds = Given<Thresholds> | null

/** The defaults, with what was given of them. Other fields of `given` are left aside. */
export function withDefaults<T extends object>(defaults: T, given: Given<T>): T {
  const result = { ...defaults }
  for (const key in defaults) {
    const value = given[key]
    if (value !== undefined && value !== null) result[key] = value
  }
  return result
}

/** The thresholds that were given. */
export function thresholdsGiven(given: GivenThresholds | undefined): Partial<Thresholds> {
  return Object.fromEntries(
    thresholdNames.flatMap(name => (typeof given?.[name] === 'number' ? [[name, given[name]]] : [])),
  )
}
