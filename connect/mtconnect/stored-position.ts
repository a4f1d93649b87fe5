import { findFirstError } from '../../schema/check.ts'
import type { Position } from '../positions/position.ts'
import { machinesOfSource, type MachineSource } from './machine-items.ts'
import type { StoredItem, StreamPosition } from './position.ts'
import { streamPositionSchema } from './stored-position-schema.ts'

type Head = Pick<StreamPosition, 'instanceId' | 'restarts' | 'next' | 'contactUs' | 'repeatFrom'>

const itemPrefix = 'item/'
const machinePrefix = 'machine/'
/** Limit of the names of an item, UTF-16 units. A name of a sample has at most 256. */
const maxNamesLength = 16_384

/**
 * Returns the position in the stream of an agent; null: nothing is stored. A stored position of another shape is lost.
 */
export function readStreamPosition(position: Position): StreamPosition | null {
  const { head, keys, state } = position
  if (head === null) return null
  const states = [...state.entries()]
  const valuesOf = (prefix: string) =>
    states.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value] as const)
  const stored: unknown = {
    ...Object(head),
    newestUs: valuesOf(machinePrefix),
    keys: [...keys.entries()].map(([name, key]) => usedKeyOf(name, key)),
    items: valuesOf(itemPrefix).map(([, item]) => item),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema is that of the type
  if (findFirstError(stored, streamPositionSchema) === null) return stored as StreamPosition
  position.lose()
  return null
}

/** Deletes what a position has of machines and devices that a connector no longer names, and returns the others. */
export function dropUnassigned(
  { state }: Position,
  stored: StreamPosition,
  sources: readonly MachineSource[],
): StreamPosition {
  const machineIds = new Set(sources.flatMap(machinesOfSource))
  const assigned = new Set(sources.map(({ source }) => source))
  const sourceOf = new Map(stored.keys.map(([id, , source]) => [id, source]))
  const newestUs = stored.newestUs.filter(([machineId]) => {
    if (!machineIds.has(machineId)) state.delete(machinePrefix + machineId)
    return machineIds.has(machineId)
  })
  const items = stored.items.filter(item => {
    const isKept = assigned.has(sourceOf.get(item.id) ?? '') || item.machineIds.some(id => machineIds.has(id))
    if (!isKept) state.delete(itemPrefix + item.id)
    return isKept
  })
  return { ...stored, newestUs, items }
}

/**
 * Stores the changed parts of the position in the stream of an agent. An item with names above `maxNamesLength`
 * has no state after a restart: the log does not accept its samples.
 */
export function storeChanges(position: Position, { newestUs, keys, items, ...head }: StreamPosition): void {
  position.head = head satisfies Head
  for (const [id, key, source] of keys)
    if (id.length + key.length <= maxNamesLength) position.keys.set(nameOf(source, id), key)
  for (const [machineId, atUs] of newestUs) position.state.set(machinePrefix + machineId, atUs)
  for (const item of items) if (namesLengthOf(item) <= maxNamesLength) position.state.set(itemPrefix + item.id, item)
}

function namesLengthOf({ id, keys, type, subtype }: StoredItem): number {
  return [id, type, subtype, ...keys].reduce((length, name) => length + name.length, 0)
}

/** Name of a used key in the position. */
function nameOf(source: string, id: string): string {
  return JSON.stringify([source, id])
}

/** Returns the used key of a name; null: the name has another form. */
function usedKeyOf(name: string, key: string): readonly unknown[] | null {
  try {
    const parts: unknown = JSON.parse(name)
    return Array.isArray(parts) && parts.length === 2 ? [parts[1], key, parts[0]] : null
  } catch {
    return null
  }
}
