import { XMLParser } from 'fast-xml-parser'
import type { Category } from '../../schema/sample.ts'

/** Meaning of a device's key. */
export interface DataItem {
  readonly type: string
  readonly subtype: string
  readonly category: Category
  /** Whether each value is a separate occurrence, such as a finished part. */
  readonly isDiscrete?: boolean
}

/** A device of an MTConnect probe document. */
export interface Device {
  readonly name: string
  readonly make: string | null
  readonly model: string | null
  /** By key: a data item's name or id, because adapters write either. Names have priority. */
  readonly items: ReadonlyMap<string, DataItem>
}

/** An element of the parser: `@` attributes, `#text`, and arrays of children by name. */
type Element = Readonly<Record<string, unknown>>

/** Reads the devices of an MTConnect probe document (`Devices.xml`). Throws if the text is not XML. */
export function readDevices(xml: string): readonly Device[] {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    removeNSPrefix: true,
    parseAttributeValue: false,
    isArray: name => !name.startsWith('@'),
  })
  const document: unknown = parser.parse(xml, true)
  return descendants(document, 'Device').map(readDevice)
}

function readDevice(element: Element): Device {
  const [description] = children(element, 'Description')
  return {
    name: attribute(element, 'name') ?? attribute(element, 'id') ?? '',
    make: (description && attribute(description, 'manufacturer')) ?? null,
    model: (description && attribute(description, 'model')) ?? null,
    items: itemsByKey(descendants(element, 'DataItem')),
  }
}

function itemsByKey(elements: readonly Element[]): ReadonlyMap<string, DataItem> {
  const items = new Map<string, DataItem>()
  for (const field of ['id', 'name']) {
    for (const element of elements) {
      const key = attribute(element, field)
      if (key !== undefined) items.set(key, readDataItem(element))
    }
  }
  return items
}

function readDataItem(element: Element): DataItem {
  const category = attribute(element, 'category')
  return {
    type: attribute(element, 'type') ?? '',
    subtype: attribute(element, 'subType') ?? '',
    category: category === 'SAMPLE' || category === 'CONDITION' ? category : 'EVENT',
    ...(isDiscrete(element) && { isDiscrete: true }),
  }
}

/** MTConnect 1.5 replaced the representation DISCRETE by the attribute `discrete`. */
function isDiscrete(element: Element): boolean {
  return attribute(element, 'representation') === 'DISCRETE' || attribute(element, 'discrete') === 'true'
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
