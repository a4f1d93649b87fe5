import { type DataItem, type Device, readDevices } from '../../ingest/shdr/devices.ts'
import type { ConnectorRecord, MappingRule } from '../../schema/records/connector.ts'
import { XmlError } from '../../shared/xml/scan-xml.ts'
import { findDevice } from '../mtconnect/machine-items.ts'
import { SourceError } from '../source/source.ts'

/** A device of an adapter, and the machine of its samples. */
export interface DeviceMachine {
  readonly machineId: string
  readonly offsetUs: number
}

export interface SourceDevices {
  /** All devices that the adapter may name. */
  readonly devices: readonly Device[]
  readonly machines: ReadonlyMap<Device, DeviceMachine>
  /** Whether keys that a device does not have give samples. */
  readonly takesUnknownKeys: boolean
}

/**
 * Returns the devices of an SHDR connector: those of its probe document, or devices with the keys that its rules name.
 * Throws a `SourceError` if the document cannot be read.
 */
export function sourceDevices({ machines, options, rules }: ConnectorRecord): SourceDevices {
  const document = options.devices
  const named = machines.flatMap(({ source, machineId, timeOffsetMs }) =>
    source !== null && typeof machineId === 'string' ? [{ source, machineId, timeOffsetMs }] : [],
  )
  const devices = document === null ? named.map(({ source }) => deviceOfRules(source, rules)) : readDocument(document)
  const offset = options.timeOffsetMs
  const byDevice = new Map<Device, DeviceMachine>()
  for (const { source, machineId, timeOffsetMs } of named) {
    const device = findDevice(devices, source)
    if (device !== undefined && !byDevice.has(device))
      byDevice.set(device, { machineId, offsetUs: (timeOffsetMs + offset) * 1000 })
  }
  return { devices, machines: byDevice, takesUnknownKeys: document !== null }
}

function readDocument(text: string): readonly Device[] {
  try {
    return readDevices(text)
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw new SourceError(`options.devices cannot be read: ${error.message}`, 'invalid', { cause: error })
  }
}

function deviceOfRules(name: string, rules: readonly MappingRule[]): Device {
  const dataItems = rules.map(({ from, type, subtype, category = 'EVENT' }): DataItem => {
    const form = category === 'CONDITION' ? 'condition' : 'value'
    const names = { id: from, key: from, type: type ?? from.toUpperCase(), subtype: subtype ?? '' }
    return { ...names, category, form, path: null }
  })
  const items = new Map(dataItems.toReversed().map(item => [item.key, item]))
  return { name, uuid: null, make: null, model: null, items, dataItems }
}
