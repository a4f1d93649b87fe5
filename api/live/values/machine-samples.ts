import { findDeterminingKeys, findMissing } from '../../../processors/timeline/determining-keys.ts'
import type { MachineSamples } from '../../../schema/records/machine-samples.ts'
import { type MachineRecord, stateSettings } from '../../../schema/records/machine.ts'
import type { Sample } from '../../../schema/sample.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import type { LatestValues } from './latest-values.ts'

interface LiveValues {
  readonly values: LatestValues
  /** Whether the values that were stored before the start have been read. */
  readonly isRestored: boolean
}

interface Known {
  readonly machine: MachineRecord
  readonly metrics: number
  readonly missing: MachineSamples['missing']
}

/** Last samples and missing facts of machines, from the latest values of this process. */
export class LiveMachineSamples {
  readonly #live: LiveValues
  /** By machine: valid until the machine changes, or has another metric. */
  readonly #known = new Map<MachineRef, Known>()

  constructor(live: LiveValues) {
    this.#live = live
  }

  read(machine: MachineRecord): MachineSamples {
    const { values, isRestored } = this.#live
    const newestUs = values.newestUsOf(machine.ref)
    const isKnown = isRestored && values.isWhole(machine.ref)
    return {
      lastSample: newestUs === null ? null : new Date(Math.floor(newestUs / 1000)).toISOString(),
      missing: isKnown ? this.#missing(machine) : null,
    }
  }

  #missing(machine: MachineRecord): MachineSamples['missing'] {
    const { values } = this.#live
    const metrics = values.countOf(machine.ref)
    const known = this.#known.get(machine.ref)
    if (known?.machine === machine && known.metrics === metrics) return known.missing
    const settings = stateSettings(machine)
    const missing = [...findMissing(findDeterminingKeys(this.#namesOf(machine.ref), settings), settings)]
    this.#known.set(machine.ref, { machine, metrics, missing })
    return missing
  }

  #namesOf(machineRef: MachineRef): readonly Pick<Sample, 'key' | 'type' | 'subtype' | 'category'>[] {
    const { values } = this.#live
    const names: Pick<Sample, 'key' | 'type' | 'subtype' | 'category'>[] = []
    values.each(machineRef, ({ metric: { key, type, subtype }, cell }) => {
      names.push({ key, type, subtype, category: values.isCondition(cell) ? 'CONDITION' : 'EVENT' })
    })
    return names
  }
}

/** Last samples of a process that receives no values. */
export const noMachineSamples = { read: (): MachineSamples => ({ lastSample: null, missing: null }) }
