import { scanXml, XmlError, type XmlHandler } from '../../shared/xml/scan-xml.ts'

/** Limits of a document: an agent has far fewer, and the document is read at once. */
const maxDevices = 1_000
const maxDataItems = 20_000

type Attributes = ReadonlyMap<string, string>

/** Path of a device, such as one of two spindles with programs of their own. */
export interface ProbePath {
  readonly id: string
  readonly name: string
}

/** `DataItem` element of a probe document. */
export interface ProbeDataItem {
  readonly attributes: Attributes
  readonly path: ProbePath | null
  /** Text of its `Source`; '' if it has none. */
  readonly source: string
  readonly hasResetTrigger: boolean
}

/** `Device` element of a probe document. */
export interface ProbeDevice {
  readonly attributes: Attributes
  /** Attributes of its own `Description`. */
  readonly description: Attributes
  /** All data items, at any depth, in document order. */
  readonly dataItems: readonly ProbeDataItem[]
}

/**
 * Reads the devices of a probe document; the device `Agent` is not one of them. Throws an XmlError, also for
 * more than 1,000 devices or 20,000 data items.
 */
export function readProbe(xml: string): readonly ProbeDevice[] {
  const reader = new ProbeReader()
  scanXml(xml, reader)
  return reader.devices
}

interface OpenDevice extends ProbeDevice {
  description: Attributes
  readonly dataItems: ProbeDataItem[]
}

interface OpenDataItem extends ProbeDataItem {
  source: string
  hasResetTrigger: boolean
}

const noAttributes: Attributes = new Map()

class ProbeReader implements XmlHandler {
  readonly devices: OpenDevice[] = []
  /** Names of the open elements without prefixes. */
  readonly #open: string[] = []
  #device: OpenDevice | null = null
  #path: ProbePath | null = null
  #dataItem: OpenDataItem | null = null
  #dataItems = 0

  open(name: string, attributes: readonly string[]): void {
    const local = name.slice(name.indexOf(':') + 1)
    const parent = this.#open.at(-1)
    this.#open.push(local)
    if (local === 'Device') this.#openDevice(mapOf(attributes))
    else if (this.#device === null) return
    else if (local === 'DataItem') this.#openDataItem(this.#device, mapOf(attributes))
    else if (local === 'Path') this.#path = pathOf(mapOf(attributes))
    else if (local === 'ResetTrigger' && this.#dataItem !== null) this.#dataItem.hasResetTrigger = true
    else if (local === 'Description' && parent === 'Device') this.#device.description = mapOf(attributes)
  }

  #openDevice(attributes: Attributes): void {
    if (this.devices.length >= maxDevices) throw new XmlError(`The probe document has more than ${maxDevices} devices`)
    this.#device = { attributes, description: noAttributes, dataItems: [] }
    this.devices.push(this.#device)
  }

  #openDataItem(device: OpenDevice, attributes: Attributes): void {
    if (++this.#dataItems > maxDataItems)
      throw new XmlError(`The probe document has more than ${maxDataItems} data items`)
    this.#dataItem = { attributes, path: this.#path, source: '', hasResetTrigger: false }
    device.dataItems.push(this.#dataItem)
  }

  text(text: string): void {
    if (this.#dataItem !== null && this.#open.at(-1) === 'Source') this.#dataItem.source += text
  }

  close(): void {
    const local = this.#open.pop()
    if (local === 'Device') this.#device = null
    else if (local === 'Path') this.#path = null
    else if (local === 'DataItem') this.#dataItem = null
  }
}

function mapOf(attributes: readonly string[]): Attributes {
  const map = new Map<string, string>()
  for (let i = 0; i < attributes.length; i += 2) map.set(attributes[i] ?? '', attributes[i + 1] ?? '')
  return map
}

function pathOf(attributes: Attributes): ProbePath {
  const id = attributes.get('id') ?? ''
  return { id, name: attributes.get('name') ?? id }
}
