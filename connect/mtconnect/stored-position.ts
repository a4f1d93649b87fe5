import type { Position } from '../positions/position.ts'
import type { StoredItem, StreamPosition } from './position.ts'

type Head = Pick<StreamPosition, 'instanceId' | 'restarts' | 'next' | 'contactUs'>

const itemPrefix = 'item/'
const machinePrefix = 'machine/'
/** Limit of the names of an item, UTF-16 units. A name of a sample has at most 256. */
const maxNamesLength = 16_384

/** Returns the position in the stream of an agent; null: nothing is stored. */
export function readStreamPosition({ head, keys, state }: Position): StreamPosition | null {
  if (head === null) return null
  const states = [...state.entries()]
  const valuesOf = (prefix: string) =>
    states.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value] as const)
  // oxlint-disable typescript/no-unsafe-type-assertion -- `storeChanges` has written them
  return {
    ...(head as Head),
    newestUs: valuesOf(machinePrefix).map(([id, atUs]) => [id, atUs as number] as const),
    keys: [...keys.entries()].map(([name, key]) => {
      const [source, id] = JSON.parse(name) as [string, string]
      return [id, key, source] as const
    }),
    items: valuesOf(itemPrefix).map(([, item]) => item as StoredItem),
  }
  // oxlint-enable typescript/no-unsafe-type-assertion
}

/**
 * Stores the changed parts of the position in the stream of an agent. An item with longer names has no state after a
 * restart: the log does not accept its samples.
 */
export function storeChanges(position: Position, { newestUs, keys, items, ...head }: StreamPosition): void {
  position.head = head satisfies Head
  for (const [id, key, source] of keys)
    if (id.length + key.length <= maxNamesLength) position.keys.set(JSON.stringify([source, id]), key)
  for (const [machineId, atUs] of newestUs) position.state.set(machinePrefix + machineId, atUs)
  for (const item of items) if (namesLengthOf(item) <= maxNamesLength) position.state.set(itemPrefix + item.id, item)
}

function namesLengthOf({ id, keys, type, subtype }: StoredItem): number {
  return [id, type, subtype, ...keys].reduce((length, name) => length + name.length, 0)
}
