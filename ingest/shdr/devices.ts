import { XMLParser } from 'fast-xml-parser'
import type { Category } from '../../schema/sample.ts'

/** Fields of a data item in SHDR. */
export type DataItemForm = 'value' | 'condition' | 'message' | 'alarm' | 'asset' | 'timeSeries' | 'dataSet' | 'table'

/** Meaning of a device's key. */
export interface DataItem {
  /** Key of its samples: the name if it is unique in the device, otherwise the id; then `.` and the statistic, if any. */
  readonly key: string
  readonly type: string
  readonly subtype: string
  readonly category: Category
  readonly form: DataItemForm
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
}

/** An element of the parser: `@` attributes, `#text`, and arrays of children by name. */
type Element = Readonly<Record<string, unknown>>

/**
 * Reads the devices of an MTConnect probe document (`Devices.xml`). Throws if the text is not XML, has a DOCTYPE or
 * more than 100 levels.
 */
export function readDevices(xml: string): readonly Device[] {
  if (/<!DOCTYPE/i.test(xml)) throw new Error('The probe document has a DOCTYPE, which is not accepted: remove it')
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    removeNSPrefix: true,
    parseAttributeValue: false,
    parseTagValue: false,
    maxNestedTags: 100,
    isArray: name => !name.startsWith('@') && name !== '#text',
  })
  const document: unknown = parser.parse(xml, true)
  return descendants(document, 'Device').map(readDevice)
}

function readDevice(element: Element): Device {
  const [description] = children(element, 'Description')
  return {
    name: attribute(element, 'name') ?? attribute(element, 'id') ?? '',
    uuid: attribute(element, 'uuid') ?? null,
    make: (description && attribute(description, 'manufacturer')) ?? null,
    model: (description && attribute(description, 'model')) ?? null,
    items: itemsByText(descendants(element, 'DataItem')),
  }
}

function itemsByText(elements: readonly Element[]): ReadonlyMap<string, DataItem> {
  const ambiguous = ambiguousNames(elements)
  const read = elements.map(element => ({ element, item: readDataItem(element, ambiguous) }))
  const items = new Map<string, DataItem>()
  const add = (text: string | undefined, item: DataItem) => {
    if (text !== undefined && text !== '' && !items.has(text)) items.set(text, item)
  }
  for (const { element, item } of read) add(sourceOf(element), item)
  for (const { element, item } of read) add(attribute(element, 'name'), item)
  for (const { element, item } of read) add(attribute(element, 'id'), item)
  for (const { item } of read) add(item.key, item)
  return items
}

/** Names of several items, and names that are the id of another item. */
function ambiguousNames(elements: readonly Element[]): ReadonlySet<string> {
  const used = new Set<string>()
  const ambiguous = new Set<string>()
  for (const element of elements) {
    for (const text of new Set([attribute(element, 'id') ?? '', attribute(element, 'name') ?? ''])) {
      if (used.has(text)) ambiguous.add(text)
      used.add(text)
    }
  }
  return ambiguous
}

function readDataItem(element: Element, ambiguous: ReadonlySet<string>): DataItem {
  const name = attribute(element, 'name')
  const statistic = attribute(element, 'statistic')
  const key = name === undefined || name === '' || ambiguous.has(name) ? (attribute(element, 'id') ?? '') : name
  const type = attribute(element, 'type') ?? ''
  const category = categoryOf(element)
  return {
    key: statistic === undefined || statistic === 'NONE' ? key : `${key}.${statistic}`,
    type,
    subtype: attribute(element, 'subType') ?? '',
    category,
    form: formOf(category, type, attribute(element, 'representation')),
    ...(isDiscrete(element) && { isDiscrete: true }),
    ...('ResetTrigger' in element && { hasResetTrigger: true }),
  }
}

function categoryOf(element: Element): Category {
  const category = attribute(element, 'category')
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
function isDiscrete(element: Element): boolean {
  return attribute(element, 'representation') === 'DISCRETE' || attribute(element, 'discrete') === 'true'
}

function sourceOf(element: Element): string | undefined {
  const [source]: readonly unknown[] = Array.isArray(element['Source']) ? element['Source'] : []
  const text = isElement(source) ? source['#text'] : source
  return typeof text === 'string' ? text.trim() : undefined
}

function attribute(element: Element, name: string): string | undefined {
  const value = element[`@${name}`]
  return typeof value === 'string' ? value : undefined
}

function children(element: Element, name: string): readonly Element[] {
  const found = element[name]
  return Array.isArray(found) ? found.filter(isElement) : []
}

/** All elements of this name, at any depth, in document order. */
function descendants(node: unknown, name: string): readonly Element[] {
  if (Array.isArray(node)) return node.flatMap(child => descendants(child, name))
  if (!isElement(node)) return []
  return Object.entries(node).flatMap(([key, child]) =>
    key === name ? children(node, name) : key.startsWith('@') ? [] : descendants(child, name),
  )
}

function isElement(node: unknown): node is Element {
  return typeof node === 'object' && node !== null && !Array.isArray(node)
}
