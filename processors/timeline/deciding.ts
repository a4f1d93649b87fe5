import type { Sample } from '../../schema/sample.ts'
import { nameOf } from '../../schema/canonical-name.ts'
import { roleOf } from './names.ts'
import type { StateSettings } from '../../schema/records/machine.ts'

const noKeys: ReadonlySet<string> = new Set()

/** Canonical names of the keys that a machine's settings name: they take part in its state whatever their type. */
export function namedKeys({ partCountKey, cutSignal }: Pick<StateSettings, 'partCountKey' | 'cutSignal'>) {
  if (partCountKey === null && cutSignal === null) return noKeys
  return new Set([partCountKey, cutSignal?.key].flatMap(key => (typeof key === 'string' ? [nameOf(key)] : [])))
}

/** Names of a sample that say whether it decides state. */
export type DecidingNames = Pick<Sample, 'key' | 'type' | 'subtype' | 'category'>

/**
 * Whether a sample takes part in its machine's state; `named` are canonical names (`namedKeys`). Asked for every sample, so it
 * must be cheap.
 */
export function decidesState(sample: DecidingNames, named: ReadonlySet<string>): boolean {
  return roleOf(sample) !== 'none' || (named.size > 0 && named.has(nameOf(sample.key)))
}
