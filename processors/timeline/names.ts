import { cacheByName } from '../../schema/canonical-name.ts'
import { canonicalName } from '../../schema/sample.ts'
import type { Sample } from '../../schema/sample.ts'

/** Part of the machine's state that a sample sets. */
export type SampleRole = 'execution' | 'speed' | 'rotating' | 'cutting' | 'stop' | 'count' | 'condition' | 'none'

const rolesByType: Readonly<Record<string, SampleRole>> = {
  EXECUTION: 'execution',
  ROTARYVELOCITY: 'speed',
  SPINDLESPEED: 'speed',
  SPINDLEROTATING: 'rotating',
  CUTTING: 'cutting',
  EMERGENCYSTOP: 'stop',
  PARTCOUNT: 'count',
}

/** Canonical types whose samples are state samples, regardless of subtype and category. */
export const stateSampleTypes: readonly string[] = Object.keys(rolesByType)

const roleOfType = cacheByName((type): SampleRole => {
  const name = canonicalName(type)
  return Object.hasOwn(rolesByType, name) ? (rolesByType[name] ?? 'none') : 'none'
})

/** Returns whether a sample is a condition or has a type of `stateSampleTypes`. */
export function hasStateType({ category, type }: Pick<Sample, 'category' | 'type'>): boolean {
  return category === 'CONDITION' || roleOfType(type) !== 'none'
}

/** Returns whether a sample is a part count with a subtype that is not counted. */
export function isUncounted(names: Pick<Sample, 'category' | 'type' | 'subtype'> | undefined): boolean {
  return (
    names !== undefined &&
    names.category !== 'CONDITION' &&
    roleOfType(names.type) === 'count' &&
    roleOf(names) === 'none'
  )
}

/** Returns the part of the state that a sample sets, by its category, type and subtype; `none` for most samples. */
export function roleOf({ category, type, subtype }: Pick<Sample, 'category' | 'type' | 'subtype'>): SampleRole {
  if (category === 'CONDITION') return 'condition'
  const role = roleOfType(type)
  if (role === 'speed') return subtype === '' || subtype === 'ACTUAL' ? role : 'none'
  if (role === 'count') return subtype === '' || subtype === 'ALL' ? role : 'none'
  return role
}
