import type { DataItem, Device } from '../../ingest/shdr/devices.ts'
import { countsSingleParts } from '../../ingest/shdr/findings.ts'
import { roleOf, type SampleRole } from '../../processors/timeline/names.ts'

/** Device of an agent and the keys that determine the state, parts and alarms of its machine. */
export interface DeviceDescription {
  readonly name: string
  readonly uuid: string | null
  readonly make: string | null
  readonly model: string | null
  /** Names of its paths, which may become machines of their own. */
  readonly paths: readonly string[]
  /** Keys of EXECUTION and EMERGENCY_STOP; without the first one, the machine is always UNAVAILABLE. */
  readonly state: readonly string[]
  readonly spindle: readonly string[]
  readonly parts: readonly string[]
  readonly alarms: readonly string[]
  /** Whether its part counters report single parts: the machine's `partCounter` is then `increment`. */
  readonly countsSingleParts: boolean
}

/** Describes a device of a probe document before it is assigned to a machine. */
export function describeDevice(device: Device): DeviceDescription {
  const { name, uuid, make, model, dataItems } = device
  const keysOf = (...roles: readonly SampleRole[]) => dataItems.filter(item => roles.includes(role(item))).map(keyOf)
  return {
    name,
    uuid,
    make,
    model,
    paths: [...new Set(dataItems.flatMap(({ path }) => path?.name ?? []))],
    state: keysOf('execution', 'stop'),
    spindle: keysOf('speed', 'rotating', 'cutting'),
    parts: keysOf('count'),
    alarms: keysOf('condition'),
    countsSingleParts: countsSingleParts(device),
  }
}

function keyOf({ key }: DataItem): string {
  return key
}

function role({ category, type, subtype }: DataItem): SampleRole {
  return roleOf({ category, type, subtype: subtype.toUpperCase() })
}
