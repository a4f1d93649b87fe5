import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { type MissingMeaning, missingMeanings } from '../../schema/records/machine-samples.ts'
import type { StateSettings } from '../../schema/records/machine.ts'
import type { Sample } from '../../schema/sample.ts'
import { isCounter } from './machine.ts'
import { roleOf, type SampleRole } from './names.ts'

/** Names of a key. */
type KeyNames = Pick<Sample, 'key' | 'type' | 'subtype' | 'category'>

/** Keys of a machine by what they determine, each once. */
export interface DeterminingKeys {
  /** Keys of EXECUTION and EMERGENCY_STOP; without one of EXECUTION none: the machine would always be UNAVAILABLE. */
  readonly state: readonly string[]
  /** Keys that determine whether the spindle rotates, or the machine cuts. */
  readonly spindle: readonly string[]
  /** Keys that count parts, or whose cycles or programs are parts. */
  readonly parts: readonly string[]
  readonly alarms: readonly string[]
}

/** Returns which keys determine state, spindle, parts and alarms of a machine with these settings. */
export function findDeterminingKeys(names: Iterable<KeyNames>, settings: StateSettings): DeterminingKeys {
  const found = { state: new Set<string>(), spindle: new Set<string>(), parts: new Set<string>() }
  const alarms = new Set<string>()
  const cutKey = settings.cutSignal === null ? null : cachedCanonicalName(settings.cutSignal.key)
  let hasExecution = false
  for (const { key, type, subtype, category } of names) {
    const role = roleOf({ category, type, subtype: subtype.toUpperCase() })
    const name = cachedCanonicalName(key)
    hasExecution ||= role === 'execution'
    if (stateRoles.has(role)) found.state.add(key)
    if (spindleRoles.has(role) || name === cutKey) found.spindle.add(key)
    if (isCounter(role, name, settings) || countsPrograms(role, name, settings)) found.parts.add(key)
    if (role === 'condition') alarms.add(key)
  }
  const state = hasExecution ? [...found.state] : []
  return { state, spindle: [...found.spindle], parts: [...found.parts], alarms: [...alarms] }
}

const stateRoles: ReadonlySet<SampleRole> = new Set<SampleRole>(['execution', 'stop'])
const spindleRoles: ReadonlySet<SampleRole> = new Set<SampleRole>(['speed', 'rotating', 'cutting'])

/** Returns what no key of a machine determines. A machine with `partCounter` `none` does not lack parts. */
export function findMissing(
  keys: DeterminingKeys,
  { partCounter }: Pick<StateSettings, 'partCounter'>,
): readonly MissingMeaning[] {
  return missingMeanings.filter(each => keys[each].length === 0 && (each !== 'parts' || partCounter !== 'none'))
}

function countsPrograms(role: SampleRole, name: string, { partCounter, partCountKey }: StateSettings): boolean {
  if (role !== 'execution' || (partCounter !== 'cycle' && partCounter !== 'program')) return false
  return partCountKey === null || cachedCanonicalName(partCountKey) === name
}
