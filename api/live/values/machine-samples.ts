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

type Missing = NonNullable<MachineSamples['missing']>
type Names = Pick<Sample, 'key' | 'type' | 'subtype' | 'category'>

interface Known {
  readonly machine: MachineRecord
  readonly metrics: number
  /** Metrics with smaller cells have been read. */
  readonly nextCell: number
  readonly missing: Missing
}

/** Last samples and missing facts of machines, from the latest values of this process. */
export class LiveMachineSamples {
  readonly #live: LiveValues
  /** By machine: valid until the machine changes. */
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

  /** Reads only metrics that were added since the last call: metrics are never removed, so what a key determines stays. */
  #missing(machine: MachineRecord): Missing {
    const { values } = this.#live
    const { nextCell } = values
    const metrics = values.countOf(machine.ref)
    const last = this.#known.get(machine.ref)
    const known = last?.machine === machine ? last : null
    if (known && (known.metrics === metrics || known.missing.length === 0)) return known.missing
    const settings = stateSettings(machine)
    const added = this.#namesFrom(machine.ref, known?.nextCell ?? 0)
    const missing = findMissing(findDeterminingKeys(added, settings), settings).filter(
      each => known?.missing.includes(each) ?? true,
    )
    this.#known.set(machine.ref, { machine, metrics, nextCell, missing })
    return missing
  }

  #namesFrom(machineRef: MachineRef, cell: number): readonly Names[] {
    const names: Names[] = []
    this.#live.values.eachAdded(machineRef, cell, ({ key, type, subtype }, isCondition) => {
      names.push({ key, type, subtype, category: isCondition ? 'CONDITION' : 'EVENT' })
    })
    return names
  }
}

/** Last samples of a process that receives no values. */
export const noMachineSamples = { read: (): MachineSamples => ({ lastSample: null, missing: null }) }
