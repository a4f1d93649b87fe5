import { DataSets } from '../../ingest/shdr/data-set.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { keysOf, newState, restoredState, storedItem, type ItemState } from './item-state.ts'
import type { MachineItem } from './machine-items.ts'
import type { StoredItem } from './position.ts'

/** The states of the delivered items of an agent. */
export class ItemStates {
  /** Entries of data sets and tables. */
  readonly sets = new DataSets()
  readonly #states = new Map<string, ItemState>()
  /** States that changed since the last call of `takeChanged`. */
  readonly #changed = new Set<ItemState>()

  constructor(stored: Iterable<StoredItem> = []) {
    for (const item of stored) {
      this.#states.set(item.id, restoredState(item))
      if (item.entries !== undefined) this.sets.restore(item.id, item.entries && new Map(item.entries))
    }
  }

  find(id: string): ItemState | undefined {
    return this.#states.get(id)
  }

  values(): Iterable<ItemState> {
    return this.#states.values()
  }

  /** Returns the state of an item, which the caller changes and whose values all its machines receive. */
  of(item: MachineItem): ItemState {
    const state = getOrCreate(this.#states, item.id, () => newState(item))
    state.machineIds = item.machineIds
    // The settings may name other entries than before.
    if (item.expanded.size > 0) state.keys = keysOf(item)
    this.#changed.add(state)
    return state
  }

  /** Returns all states, which the caller changes. */
  allChanged(): Iterable<ItemState> {
    for (const state of this.#states.values()) this.#changed.add(state)
    return this.#states.values()
  }

  /** `machinesOf` returns the machines of an item: after a change, the former ones no longer get its gap markers. */
  removeOtherMachines(machinesOf: (id: string) => Iterable<string>): void {
    for (const state of this.#states.values()) {
      const assigned = new Set(machinesOf(state.id))
      const kept = state.machineIds.filter(id => assigned.has(id))
      if (kept.length === state.machineIds.length) continue
      state.machineIds = kept
      this.#changed.add(state)
    }
  }

  /** Returns all states as plain JSON. */
  stored(): readonly StoredItem[] {
    return this.#stored(this.#states.values())
  }

  /** Returns the states that changed since the last call, as plain JSON. */
  takeChanged(): readonly StoredItem[] {
    const changed = this.#stored(this.#changed)
    this.#changed.clear()
    return changed
  }

  #stored(states: Iterable<ItemState>): readonly StoredItem[] {
    return [...states].map(state => storedItem(state, this.sets.entriesOf(state.id)))
  }
}
