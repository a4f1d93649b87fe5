import type { Sample } from '../../schema/sample.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { hasStateType } from './names.ts'
import type { StateSettings } from '../../schema/records/machine.ts'

const noKeys: ReadonlySet<string> = new Set()

/**
 * Returns the canonical names of the keys in a machine's settings: samples of these keys are state samples, whatever
 * their type.
 */
export function namedKeys({ partCountKey, cutSignal }: Pick<StateSettings, 'partCountKey' | 'cutSignal'>) {
  if (partCountKey === null && cutSignal === null) return noKeys
  return new Set(
    [partCountKey, cutSignal?.key].flatMap(key => (typeof key === 'string' ? [cachedCanonicalName(key)] : [])),
  )
}

/** Fields that determine whether a sample is a state sample. */
export type StateSampleFields = Pick<Sample, 'key' | 'type' | 'subtype' | 'category'>

/**
 * Returns whether a sample is a state sample of its machine. `named`: canonical names of `namedKeys`. Called for every
 * sample, so it must be fast. Subtypes that set no state are included: a numbered sample of such a subtype can be the
 * first copy of one that does.
 */
export function isStateSample(sample: StateSampleFields, named: ReadonlySet<string>): boolean {
  return hasStateType(sample) || (named.size > 0 && named.has(cachedCanonicalName(sample.key)))
}
