import type { SystemCheck, SystemCondition } from './alert-condition.ts'

/** Limits of rules without `above`, by check; the other checks have none. */
const defaultLimits: Readonly<Partial<Record<SystemCheck, number>>> = { lag: 120, disk: 90, deadLetters: 0 }

/** Returns the value above which a condition on the system holds; null: it holds while something is unavailable. */
export function limitOf({ system, above }: SystemCondition): number | null {
  const byDefault = defaultLimits[system]
  return byDefault === undefined ? null : (above ?? byDefault)
}
