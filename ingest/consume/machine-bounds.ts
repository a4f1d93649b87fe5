import type { Sample } from '../../schema/sample.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { shortenName } from '../../schema/error-text.ts'
import { conditionLimits } from '../../processors/timeline/conditions.ts'
import { isStateSample, type StateSampleFields } from '../../processors/timeline/state-samples.ts'
import type { MachineInfo } from '../decode/validate.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'

export interface MachineLimits {
  /**
   * Limit of the keys of one machine, without state keys, which have a separate limit of a fifth. A key counts once for
   * each type and subtype.
   */
  readonly keys: number
  /** Limit of the total length of these names in UTF-16 units. */
  readonly keyChars: number
  /** Limit of simultaneously active conditions of one machine. */
  readonly conditions: number
}

export const defaultMachineLimits: MachineLimits = { keys: 5_000, keyChars: 1_000_000, conditions: 2_000 }

/** Called with each metric that a machine uses for the first time. */
export type OnNewMetric = (machineRef: MachineRef, names: StateSampleFields) => void

/** Why a valid sample is rejected. */
export interface LimitRejection {
  readonly reason: Extract<DeadLetterReason, 'too_many_keys' | 'too_many_conditions'>
  readonly message: string
}

/** Names of one machine that count towards one limit. */
interface KnownKeys {
  readonly ids: Set<number>
  chars: number
}

interface Known {
  readonly stateKeys: KnownKeys
  readonly otherKeys: KnownKeys
  /** Active codes, by canonical key. */
  readonly raised: Map<string, Set<string>>
  conditions: number
}

/** Limit of the names of all machines together, in UTF-16 units. Beyond it, a machine gets at most `fairKeys` keys. */
const allChars = 100_000_000
const fairKeys = 500

/**
 * Limits the names of each machine, so that a gateway that puts a time or a part number into a key or a code cannot
 * fill the memory, and affects only its own machine. The first names stay accepted. State keys have separate limits, so
 * that other keys cannot displace them.
 */
export class MachineBounds {
  readonly #limits: MachineLimits
  readonly #onNewMetric: OnNewMetric
  readonly #names = new MetricNumbers()
  readonly #machines = new Map<number, Known>()

  constructor(limits: MachineLimits = defaultMachineLimits, onNewMetric: OnNewMetric = () => undefined) {
    this.#limits = limits
    this.#onNewMetric = onNewMetric
  }

  /** Adds a name that the machine used before this process started. */
  restore(sample: Sample, namedKeys: ReadonlySet<string>): void {
    const known = this.#of(sample.machineRef)
    this.#admit(sample.machineRef, isStateSample(sample, namedKeys) ? known.stateKeys : known.otherKeys, sample)
  }

  /** Checks a sample, and registers its names if it is accepted; null: accepted. */
  check(sample: Sample, machine: Pick<MachineInfo, 'ref' | 'namedKeys'>): LimitRejection | null {
    const rejection = this.checkNames(sample, machine)
    return rejection === null && sample.category === 'CONDITION'
      ? this.#checkCondition(this.#of(machine.ref), sample)
      : rejection
  }

  /** Checks the names of samples that are not conditions, and registers them if accepted. */
  checkNames(
    sample: StateSampleFields,
    { ref, namedKeys }: Pick<MachineInfo, 'ref' | 'namedKeys'>,
  ): LimitRejection | null {
    const known = this.#of(ref)
    const isState = isStateSample(sample, namedKeys)
    const { keys } = this.#limits
    const maxKeys = isState ? Math.max(1, Math.floor(keys / 5)) : keys
    return this.#addNames(ref, isState ? known.stateKeys : known.otherKeys, sample, maxKeys)
      ? null
      : tooManyKeys(sample, maxKeys)
  }

  #addNames(machineRef: MachineRef, keys: KnownKeys, sample: StateSampleFields, max: number): boolean {
    const id = this.#names.find(sample)
    if (id !== undefined && keys.ids.has(id)) return true
    const chars = keys.chars + charsOf(sample)
    if (keys.ids.size >= max || chars > this.#limits.keyChars) return false
    if (id === undefined && this.#names.chars > allChars && keys.ids.size >= fairKeys) return false
    this.#admit(machineRef, keys, sample)
    return true
  }

  #admit(machineRef: MachineRef, keys: KnownKeys, sample: StateSampleFields): void {
    const id = this.#names.idOf(sample)
    if (keys.ids.has(id)) return
    keys.ids.add(id)
    keys.chars += charsOf(sample)
    this.#onNewMetric(machineRef, sample)
  }

  #checkCondition(known: Known, { key, value, nativeCode }: Sample): LimitRejection | null {
    const name = cachedCanonicalName(key)
    const codes = known.raised.get(name)
    if (value === 'WARNING' || value === 'FAULT') {
      if (codes?.has(nativeCode)) return null
      if (known.conditions >= this.#limits.conditions) return tooManyConditions(this.#limits.conditions)
      if (codes) codes.add(nativeCode)
      else known.raised.set(name, new Set([nativeCode]))
      known.conditions++
    } else if (codes && (value === 'UNAVAILABLE' || (value === 'NORMAL' && nativeCode === ''))) {
      known.raised.delete(name)
      known.conditions -= codes.size
    } else if (value === 'NORMAL' && codes?.delete(nativeCode)) known.conditions--
    return null
  }

  #of(machineRef: MachineRef): Known {
    return getOrCreate(this.#machines, machineRef, () => ({
      stateKeys: { ids: new Set(), chars: 0 },
      otherKeys: { ids: new Set(), chars: 0 },
      raised: new Map(),
      conditions: 0,
    }))
  }
}

type MetricNames = Pick<Sample, 'key' | 'type' | 'subtype'>

/** Numbers the names of metrics, each name once: machines of a plant share theirs. */
class MetricNumbers {
  readonly #ids = new Map<string, Map<string, Map<string, number>>>()
  #count = 0
  #chars = 0

  /** Total length of all names, in UTF-16 units. */
  get chars(): number {
    return this.#chars
  }

  find({ key, type, subtype }: MetricNames): number | undefined {
    return this.#ids.get(key)?.get(type)?.get(subtype)
  }

  /** Returns the number of a metric; registers a new one. */
  idOf({ key, type, subtype }: MetricNames): number {
    let types = this.#ids.get(key)
    if (!types) this.#ids.set(key, (types = new Map()))
    let subtypes = types.get(type)
    if (!subtypes) types.set(type, (subtypes = new Map()))
    let id = subtypes.get(subtype)
    if (id === undefined) {
      subtypes.set(subtype, (id = this.#count++))
      this.#chars += key.length + type.length + subtype.length
    }
    return id
  }
}

function charsOf({ key, type, subtype }: MetricNames): number {
  return key.length + type.length + subtype.length
}

function tooManyKeys({ key }: MetricNames, max: number): LimitRejection {
  return {
    reason: 'too_many_keys',
    message: `the machine has ${max} keys already, or their names are too long. Rejected: ${shortenName(key)}`,
  }
}

function tooManyConditions(max: number): LimitRejection {
  const message =
    `The machine has ${max} raised conditions, the limit of TAKT_MACHINE_CONDITIONS; alarms and GraphQL have ` +
    `${Math.min(max, conditionLimits.active)} of them at most. Clear conditions with NORMAL`
  return { reason: 'too_many_conditions', message }
}
