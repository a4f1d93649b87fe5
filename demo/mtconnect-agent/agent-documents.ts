import { groupBy } from '../../shared/collections/group-by.ts'
import type { AgentDevice, AgentItem, NumberedObservation } from './agent-model.ts'

/** Header of a document. */
export interface AgentHeader {
  readonly instanceId: string
  readonly creationTime: string
  readonly bufferSize: number
  /** First and last sequence in the buffer. */
  readonly firstSequence: number
  readonly lastSequence: number
  /** The sequence after the document. */
  readonly nextSequence: number
}

const sections = { SAMPLE: 'Samples', EVENT: 'Events', CONDITION: 'Condition' } as const
const categories = ['SAMPLE', 'EVENT', 'CONDITION'] as const
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Writes the document of `probe`. */
export function devicesDocument(header: AgentHeader, devices: readonly AgentDevice[]): string {
  return document(
    'Devices',
    header,
    `<Devices>${devices.map(device => device.xml ?? deviceElement(device)).join('')}</Devices>`,
  )
}

/** Writes a document of values, grouped by device and category, as agents do. */
export function streamsDocument(
  header: AgentHeader,
  devices: readonly AgentDevice[],
  observations: readonly NumberedObservation[],
): string {
  const byItem = groupBy(observations, ({ dataItemId }) => dataItemId)
  const streams = devices.map(device => deviceStream(device, byItem))
  return document('Streams', header, `<Streams>${streams.join('')}</Streams>`)
}

/** Writes a document with one error; `isNamed`: its element has the name of the error, as since MTConnect 2.6. */
export function errorDocument(header: AgentHeader, code: string, message: string, isNamed: boolean): string {
  const name = code.replaceAll(/([A-Z])([A-Z]*)_?/g, (_, first: string, rest: string) => first + rest.toLowerCase())
  const error = isNamed
    ? `<${name} errorCode="${code}"><ErrorMessage>${escaped(message)}</ErrorMessage></${name}>`
    : `<Error errorCode="${code}">${escaped(message)}</Error>`
  return document('Error', header, `<Errors>${error}</Errors>`)
}

function document(kind: 'Devices' | 'Streams' | 'Error', header: AgentHeader, content: string): string {
  const { instanceId, creationTime, bufferSize, firstSequence, lastSequence, nextSequence } = header
  const sequences = { firstSequence, lastSequence, nextSequence }
  const attributes = { instanceId, creationTime, sender: 'takt', version: '2.0', bufferSize }
  const all = kind === 'Streams' ? { ...attributes, ...sequences } : attributes
  return `<?xml version="1.0" encoding="UTF-8"?>\n<MTConnect${kind} xmlns="urn:mtconnect.org:MTConnect${kind}:2.0"><Header${attributesText(all)}/>${content}</MTConnect${kind}>`
}

function deviceElement({ name, uuid, items, description }: AgentDevice): string {
  const described = description === undefined ? '' : `<Description${attributesText(description)}/>`
  const elements = items.map(({ ...attributes }) => `<DataItem${attributesText(attributes)}/>`)
  return `<Device${attributesText({ id: name, name, uuid })}>${described}<DataItems>${elements.join('')}</DataItems></Device>`
}

function deviceStream(
  { name, uuid, items }: AgentDevice,
  observations: ReadonlyMap<string, readonly NumberedObservation[]>,
): string {
  const contents = categories.map(category => {
    const elements = items
      .filter(item => item.category === category)
      .flatMap(item => (observations.get(item.id) ?? []).map(observation => element(item, observation)))
    return elements.length === 0 ? '' : `<${sections[category]}>${elements.join('')}</${sections[category]}>`
  })
  const content = contents.join('')
  if (content === '') return ''
  const component = `<ComponentStream component="Device" name="${escaped(name)}" componentId="${escaped(name)}">${content}</ComponentStream>`
  return `<DeviceStream${attributesText({ name, uuid })}>${component}</DeviceStream>`
}

function element(
  item: AgentItem,
  { sequence, timestamp, value, attributes = {}, message = '' }: NumberedObservation,
): string {
  const { id: dataItemId, name, type, subType, category } = item
  const names = {
    dataItemId,
    timestamp,
    ...(name !== undefined && { name }),
    sequence,
    ...(subType !== undefined && { subType }),
  }
  if (category === 'CONDITION')
    return `<${value}${attributesText({ ...names, type, ...attributes })}>${escaped(message)}</${value}>`
  const tag = elementName(type)
  return `<${tag}${attributesText({ ...names, ...attributes })}>${escaped(value)}</${tag}>`
}

/** Converts a type to the name of its element: PATH_FEEDRATE to PathFeedrate; a prefix stays. */
function elementName(type: string): string {
  const colon = type.indexOf(':') + 1
  const words = type.slice(colon).split('_')
  return type.slice(0, colon) + words.map(word => word.slice(0, 1) + word.slice(1).toLowerCase()).join('')
}

function attributesText(attributes: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('')
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, character => escapes[character] ?? '')
}
