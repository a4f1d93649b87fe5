import type { Device } from '../../ingest/shdr/devices.ts'
import { countsSingleParts } from '../../ingest/shdr/findings.ts'
import { type DeterminingKeys, findDeterminingKeys } from '../../processors/timeline/determining-keys.ts'
import { defaultMachineSettings, stateSettings } from '../../schema/records/machine.ts'

/** Device of an agent and the keys that determine the state, parts and alarms of its machine. */
export interface DeviceDescription extends DeterminingKeys {
  readonly name: string
  readonly uuid: string | null
  readonly make: string | null
  readonly model: string | null
  /** Names of its paths, which may become machines of their own. */
  readonly paths: readonly string[]
  /** Whether its part counters report single parts: the machine's `partCounter` is then `increment`. */
  readonly countsSingleParts: boolean
}

/** Describes a device of a probe document before it is assigned to a machine. */
export function describeDevice(device: Device): DeviceDescription {
  const { name, uuid, make, model, dataItems } = device
  return {
    name,
    uuid,
    make,
    model,
    paths: [...new Set(dataItems.flatMap(({ path }) => path?.name ?? []))],
    ...findDeterminingKeys(dataItems, newMachine),
    countsSingleParts: countsSingleParts(device),
  }
}

/** Settings of a machine that does not exist yet. */
const newMachine = stateSettings(defaultMachineSettings)
