import { timestampText } from '../../ingest/shdr/timestamps.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { allConditions, replaceConditions } from './conditions.ts'
import { entriesOf } from './entries.ts'
import type { ItemState } from './item-state.ts'
import type { ItemStates } from './item-states.ts'
import { type Content, toContent } from './observation-contents.ts'
import type { StreamObservation } from './observations.ts'
import type { SampleList } from './sample-list.ts'
import type { Sequence } from './sequence.ts'

/** The present observations of an agent by item. */
export type PresentItems = ReadonlyMap<string, readonly StreamObservation[]>

/** Groups the observations of a document of `current` by item. */
export function byItem(observations: readonly StreamObservation[]): PresentItems {
  return groupBy(observations, ({ dataItemId }) => dataItemId)
}

/** Sequences between which observations were lost: from the position up to the first one that is read next. */
export interface LostRange {
  readonly next: Sequence
  readonly first: Sequence
}

/** Times of gap markers by machine, UTC µs. */
type MarkerTimes = ReadonlyMap<string, number>

/** Marks in the samples that the values of items are unknown, because observations were lost. */
export class GapMarkers {
  readonly #samples: SampleList
  readonly #states: ItemStates
  /** Offsets that were added to the times of each machine, µs. */
  readonly #offsetsUs: ReadonlyMap<string, number>

  constructor(samples: SampleList, states: ItemStates, offsetsUs: ReadonlyMap<string, number>) {
    this.#samples = samples
    this.#states = states
    this.#offsetsUs = offsetsUs
  }

  /** The agent has restarted after the last contact, UTC µs: all events and conditions are unknown. */
  markRestart(contactUs: number): void {
    const times = this.#timesAfter(contactUs)
    for (const state of this.#states.allChanged()) if (state.category !== 'SAMPLE') this.#mark(state, times)
  }

  /** The agent has discarded observations: events that have changed since are unknown, and conditions have ended. */
  markOverrun(present: PresentItems, lost: LostRange, contactUs: number): void {
    const times = this.#timesAfter(contactUs)
    for (const state of this.#states.allChanged()) this.#markLost(state, present.get(state.id) ?? [], lost, times)
  }

  /**
   * Delivers the active conditions of a document at its creationTime, UTC µs: further conditions were perhaps delivered
   * after the position was stored, and their ends are lost. Later changes with earlier times are restated.
   */
  repeatConditions(present: PresentItems, creationUs: number): void {
    const times = this.#timesAfter(creationUs)
    for (const state of this.#states.values()) {
      if (state.category !== 'CONDITION') continue
      const changes = allConditions(present.get(state.id) ?? [])
      this.#push(state, changes.map(toContent(state.keys[0] ?? '')), times)
    }
  }

  /** Values of these events with a time up to a contact, UTC µs, are restated after it: they were perhaps UNAVAILABLE. */
  restateAfter(events: Iterable<ItemState>, contactUs: number): void {
    const times = this.#timesAfter(contactUs)
    for (const state of events) this.#push(state, [], times)
  }

  #markLost(
    state: ItemState,
    present: readonly StreamObservation[],
    { next, first }: LostRange,
    times: MarkerTimes,
  ): void {
    if (state.category === 'CONDITION') {
      const unchanged = present.filter(({ sequence }) => sequence < next)
      const changes = replaceConditions(state.active, unchanged)
      if (changes.length > 0) this.#push(state, changes.map(toContent(state.keys[0] ?? '')), times)
      return
    }
    const last = present.at(-1)
    if (last === undefined || last.sequence < next) return
    if (state.category === 'EVENT') this.#mark(state, times)
    // The changes of a data set from firstSequence on apply to entries that were lost: those of its present value replace them.
    if (state.hasEntries && last.sequence >= first) this.#states.sets.apply(state.id, entriesOf(last), true)
  }

  #mark(state: ItemState, times: MarkerTimes): void {
    state.active.clear()
    if (state.hasEntries) this.#states.sets.empty(state.id)
    const contents = state.keys.map(key => ({ key, value: unavailableValue }))
    this.#push(state, contents, times)
  }

  /** Adds samples without a number at the latest time of the machines, after which earlier values are restated. */
  #push(state: ItemState, contents: readonly Content[], times: MarkerTimes): void {
    if (state.machineIds.length === 0) return
    const atUs = Math.max(...state.machineIds.map(machineId => times.get(machineId) ?? 0))
    const instant = { atUs, text: timestampText(atUs) }
    for (const content of contents) this.#samples.add(state, content, instant, null)
    if (!this.#samples.isAhead(atUs)) state.restateUs = atUs
  }

  /** Returns times after a contact, unless the clock of the agent is wrong, and after all samples. */
  #timesAfter(contactUs: number): MarkerTimes {
    const machineIds = new Set([...this.#offsetsUs.keys(), ...this.#samples.newestUs.keys()])
    return new Map(
      [...machineIds].map(machineId => {
        const contact = contactUs + (this.#offsetsUs.get(machineId) ?? 0)
        const newestUs = this.#samples.newestUs.get(machineId) ?? 0
        // Ingest would reject such a marker, and the last values would hold over the gap.
        return [machineId, (this.#samples.isAhead(contact) ? newestUs : Math.max(contact, newestUs)) + 1]
      }),
    )
  }
}
