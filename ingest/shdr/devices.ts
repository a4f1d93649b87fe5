import type { Category } from '../../schema/sample.ts'
import { readProbe, type ProbeDataItem, type ProbeDevice, type ProbePath } from './probe.ts'

/** Fields of a data item in SHDR. */
export type DataItemForm = 'value' | 'condition' | 'message' | 'alarm' | 'asset' | 'timeSeries' | 'dataSet' | 'table'

/** Meaning of a device's key. */
export interface DataItem {
  readonly id: string
  /** Key of its samples: the name if it is unique in the device, otherwise the id; then `.` and the statistic, if any. */
  readonly key: string
  readonly type: string
  readonly subtype: string
  readonly category: Category
  readonly form: DataItemForm
  /** The path of the device to which it belongs; null: it belongs to the device as a whole. */
  readonly path: ProbePath | null
  /** Whether each value is a separate occurrence, such as a finished part. */
  readonly isDiscrete?: boolean
  /** Whether `:` and the trigger of a reset may follow its value. */
  readonly hasResetTrigger?: boolean
}

/** A device of an MTConnect probe document. */
export interface Device {
  readonly name: string
  readonly uuid: string | null
  readonly make: string | null
  readonly model: string | null
  /**
   * By each text with which an adapter may name a data item. If texts of two items are equal, `Source` has priority,
   * then the name, as in the MTConnect agent; then the first item.
   */
  readonly items: ReadonlyMap<string, DataItem>
  /** In document order. */
  readonly dataItems: readonly DataItem[]
}

/** Reads the devices of an MTConnect probe document (`Devices.xml`). Throws an XmlError if the text is not XML. */
export function readDevices(xml: string): readonly Device[] {
  return readProbe(xml).map(readDevice)
}

function readDevice({ attributes, description, dataItems }: ProbeDevice): Device {
  const ambiguous = ambiguousNames(dataItems)
  const read = dataItems.map(element => ({ element, item: readDataItem(element, ambiguous) }))
  return {
    name: attributes.get('name') ?? attributes.get('id') ?? '',
    uuid: attributes.get('uuid') ?? null,
    make: description.get('manufacturer') ?? null,
    model: description.get('model') ?? null,
    items: itemsByText(read),
    dataItems: read.map(({ item }) => item),
  }
}

function itemsByText(
  read: readonly { readonly element: ProbeDataItem; readonly item: DataItem }[],
): ReadonlyMap<string, DataItem> {
  const items = new Map<string, DataItem>()
  const add = (text: string | undefined, item: DataItem) => {
    if (text !== undefined && text !== '' && !items.has(text)) items.set(text, item)
  }
  for (const { element, item } of read) add(element.source.trim(), item)
  for (const { element, item } of read) add(element.attributes.get('name'), item)
  for (const { item } of read) add(item.id, item)
  for (const { item } of read) add(item.key, item)
  return items
}

/** Names of several items, and names that are the id of another item. */
function ambiguousNames(dataItems: readonly ProbeDataItem[]): ReadonlySet<string> {
  const used = new Set<string>()
  const ambiguous = new Set<string>()
  for (const { attributes } of dataItems) {
    for (const text of new Set([attributes.get('id') ?? '', attributes.get('name') ?? ''])) {
      if (used.has(text)) ambiguous.add(text)
      used.add(text)
    }
  }
  return ambiguous
}

function readDataItem({ attributes, path, hasResetTrigger }: ProbeDataItem, ambiguous: ReadonlySet<string>): DataItem {
  const name = attributes.get('name')
  const statistic = attributes.get('statistic')
  const id = attributes.get('id') ?? ''
  const key = name === undefined || name === '' || ambiguous.has(name) ? id : name
  const type = attributes.get('type') ?? ''
  const category = categoryOf(attributes.get('category'))
  return {
    id,
    key: statistic === undefined || statistic === 'NONE' ? key : `${key}.${statistic}`,
    type,
    subtype: attributes.get('subType') ?? '',
    category,
    form: formOf(category, type, attributes.get('representation')),
    path,
    ...(isDiscrete(attributes) && { isDiscrete: true }),
    ...(hasResetTrigger && { hasResetTrigger: true }),
  }
}

function categoryOf(category: string | undefined): Category {
  return category === 'SAMPLE' || category === 'CONDITION' ? category : 'EVENT'
}

function formOf(category: Category, type: string, representation: string | undefined): DataItemForm {
  if (category === 'CONDITION') return 'condition'
  if (representation === 'DATA_SET') return 'dataSet'
  if (representation === 'TABLE') return 'table'
  if (category === 'SAMPLE') return representation === 'TIME_SERIES' ? 'timeSeries' : 'value'
  return formsByType.get(type) ?? 'value'
}

const formsByType: ReadonlyMap<string, DataItemForm> = new Map([
  ['MESSAGE', 'message'],
  ['ALARM', 'alarm'],
  ['ASSET_CHANGED', 'asset'],
  ['ASSET_REMOVED', 'asset'],
])

/** MTConnect 1.5 replaced the representation DISCRETE by the attribute `discrete`. */
function isDiscrete(attributes: ReadonlyMap<string, string>): boolean {
  return attributes.get('representation') === 'DISCRETE' || attributes.get('discrete') === 'true'
}
