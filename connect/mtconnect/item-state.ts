import { createHash } from 'node:crypto'
import { isUnavailable } from '../../ingest/shdr/words.ts'
import { parseDecimal } from '../../processors/timeline/values.ts'
import { canonicalName } from '../../schema/sample.ts'
import { ownCopy } from '../../shared/own-copy.ts'
import { ActiveConditions } from './active-conditions.ts'
import type { MachineItem } from './machine-items.ts'
import type { StoredItem } from './position.ts'

/** Limit of the stored observations of a discrete item. */
const maxRecent = 16
/** Length above which the digest of such an observation is stored, UTF-16 units. */
const maxRecentLength = 256

/** State of an EVENT or CONDITION item that was delivered. */
export interface ItemState {
  readonly id: string
  /** Machines that have received its values. */
  machineIds: readonly string[]
  /** Its key, and those of its expanded entries. */
  keys: readonly string[]
  readonly type: string
  readonly subtype: string
  readonly category: StoredItem['category']
  /** Time of the last observation of a condition, UTC µs. */
  lastUs: number | null
  /** Time of UNAVAILABLE or of the last value that was restated after it, UTC µs. */
  restateUs: number | null
  readonly active: ActiveConditions
  recent: readonly (readonly [atUs: number, value: string])[]
  hasEntries: boolean
}

/** Creates the state of an item at its first observation. */
export function newState(item: MachineItem): ItemState {
  const { id, machineIds, type, subtype, category, form } = item
  return {
    id,
    machineIds,
    keys: keysOf(item),
    type,
    subtype,
    category,
    lastUs: null,
    restateUs: null,
    active: new ActiveConditions(),
    recent: [],
    hasEntries: form === 'dataSet' || form === 'table',
  }
}

/** Returns the keys of an item, and of its expanded entries. */
export function keysOf({ key, expanded }: Pick<MachineItem, 'key' | 'expanded'>): readonly string[] {
  return [key, ...expanded.values()]
}

/** Whether a discrete observation was delivered before the item became UNAVAILABLE, and is sent again. */
export function isRepeated({ restateUs, recent }: ItemState, atUs: number, value: string): boolean {
  return restateUs !== null && atUs <= restateUs && recent.some(one => one[0] === atUs && one[1] === recentText(value))
}

/** Stores a delivered observation of a discrete item. */
export function addRecent(state: ItemState, atUs: number, value: string): void {
  if (!isUnavailable(value)) state.recent = [...state.recent.slice(1 - maxRecent), [atUs, ownCopy(recentText(value))]]
}

function recentText(value: string): string {
  return value.length <= maxRecentLength ? value : createHash('sha256').update(value).digest('base64')
}

/** Whether a value holds until the next one: a condition, or a word of an EVENT that is not discrete. */
export function holdsState(
  { category, form, isDiscrete, type }: Pick<MachineItem, 'category' | 'form' | 'isDiscrete' | 'type'>,
  value: string,
): boolean {
  if (category === 'CONDITION') return true
  const isWord = category === 'EVENT' && form === 'value' && parseDecimal(value) === null
  return isWord && !isDiscrete && canonicalName(type) !== 'PARTCOUNT'
}

/**
 * Changes the time from which an item is UNAVAILABLE by an observation; returns the time of its restated value, UTC µs;
 * null: it is not restated. After UNAVAILABLE, a value may have the earlier time since when it holds. A later time ends this
 * for events only: the codes of a condition are sent again in any order.
 */
export function restate(
  state: Pick<ItemState, 'restateUs'>,
  item: Parameters<typeof holdsState>[0],
  value: string,
  atUs: number,
): number | null {
  if (state.restateUs === null || atUs > state.restateUs) {
    if (isUnavailable(value)) state.restateUs = atUs
    else if (item.category !== 'CONDITION') state.restateUs = null
    return null
  }
  return holdsState(item, value) ? ++state.restateUs : null
}

/** Converts a state to plain JSON. `entries`: those of its data set. */
export function storedItem(
  { lastUs, restateUs, active, recent, hasEntries, ...item }: ItemState,
  entries: ReadonlyMap<string, string> | null,
): StoredItem {
  return {
    ...item,
    ...(lastUs !== null && { lastUs }),
    ...(restateUs !== null && { restateUs }),
    ...(active.size > 0 && { active: [...active] }),
    ...(recent.length > 0 && { recent }),
    ...(hasEntries && { entries: entries === null ? null : [...entries] }),
  }
}

/** Converts plain JSON to a state. */
export function restoredState(item: StoredItem): ItemState {
  const { lastUs = null, restateUs = null, active = [], recent = [], entries, ...names } = item
  return {
    ...names,
    lastUs,
    restateUs,
    active: new ActiveConditions(active),
    recent,
    hasEntries: entries !== undefined,
  }
}
