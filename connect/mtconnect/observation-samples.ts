import { tooLong, type DataSets } from '../../ingest/shdr/data-set.ts'
import { timestampText } from '../../ingest/shdr/timestamps.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { addRecent, isRepeated, restate, type ItemState } from './item-state.ts'
import type { ItemStates } from './item-states.ts'
import type { MachineItem } from './machine-items.ts'
import { type Content, contentsOf, plainValue } from './observation-contents.ts'
import type { StreamObservation } from './observations.ts'
import type { Instant, SampleList } from './sample-list.ts'

/** State of an item on which its next values depend. */
export interface ItemValues {
  readonly state: ItemState
  readonly sets: DataSets
}

/** The values besides its item on which the samples of an observation depend. */
export interface ObservationContext {
  /** creationTime of the document, UTC µs; null: it has none. */
  readonly creationUs: number | null
  /** Whether the entries of a data set are all its entries. */
  readonly isFull: boolean
  /** Values that replace those of the item, for machines that have not received them; null: the item's own. */
  readonly values?: ItemValues | null
}

export interface ObservationTotals {
  observations: number
  /** Observations that were read again. */
  duplicates: number
  /** Observations whose time is before that of the previous one of their item. */
  backwards: number
  /** Observations without a readable time. */
  invalid: number
  /** Data sets that are too long for a sample. */
  tooLong: number
}

export interface ObservationOptions {
  /** `received`: the creationTime of the document replaces the times of its observations. */
  readonly time?: 'source' | 'received'
  /** Added to each time of the agent. */
  readonly timeOffsetMs?: number
}

/** Adds the samples of observations, and changes the states of their items. */
export class ObservationSamples {
  readonly #samples: SampleList
  readonly #states: ItemStates
  readonly #options: ObservationOptions
  readonly #totals: ObservationTotals
  /** Times of the last observations by item, UTC µs, since the start. */
  readonly #lastUs = new Map<string, number>()

  /** `totals` are changed. */
  constructor(samples: SampleList, states: ItemStates, options: ObservationOptions, totals: ObservationTotals) {
    this.#samples = samples
    this.#states = states
    this.#options = options
    this.#totals = totals
  }

  add(item: MachineItem, observation: StreamObservation, context: ObservationContext): void {
    this.#totals.observations++
    const instant = this.#instantOf(observation, item, context.creationUs)
    if (instant === null) {
      this.#totals.invalid++
      return
    }
    if (instant.atUs < (this.#lastUs.get(item.id) ?? 0)) this.#totals.backwards++
    this.#lastUs.set(item.id, instant.atUs)
    const value = item.category === 'SAMPLE' ? plainValue(item, observation) : null
    if (value !== null)
      this.#samples.add(item, { key: item.key, value, isNumbered: true }, instant, observation.sequence)
    else {
      const values = context.values ?? { state: this.#states.of(item), sets: this.#states.sets }
      this.#addState(item, values, observation, instant, context.isFull)
    }
  }

  #addState(
    item: MachineItem,
    { state, sets }: ItemValues,
    observation: StreamObservation,
    instant: Instant,
    isFull: boolean,
  ): void {
    const { atUs } = instant
    if (item.isDiscrete && isRepeated(state, atUs, observation.text)) {
      this.#totals.duplicates++
      return
    }
    const contents = contentsOf(item, state, observation, isFull, sets)
    if (state.hasEntries && contents[0]?.value === tooLong) this.#totals.tooLong++
    const laterUs = state.lastUs === atUs ? atUs + 1 : atUs
    const later = laterUs === atUs ? instant : { atUs: laterUs, text: timestampText(laterUs) }
    for (const content of contents)
      this.#samples.add(item, content, content.isNumbered === true ? instant : later, observation.sequence)
    if (item.category === 'CONDITION') state.lastUs = laterUs
    if (item.isDiscrete) addRecent(state, atUs, observation.text)
    if (item.category !== 'SAMPLE') this.#restate(item, state, observation, contents, atUs)
  }

  #restate(
    item: MachineItem,
    state: ItemState,
    observation: StreamObservation,
    contents: readonly Content[],
    atUs: number,
  ): void {
    if (contents.length === 0 || this.#samples.isAhead(atUs)) return
    const value = item.category === 'CONDITION' ? observation.element : observation.text
    const restatedUs = restate(state, item, value, atUs)
    if (restatedUs === null) return
    const instant = { atUs: restatedUs, text: timestampText(restatedUs) }
    for (const content of contents) this.#samples.add(item, content, instant, null)
  }

  #instantOf({ timestamp }: StreamObservation, { offsetUs }: MachineItem, creationUs: number | null): Instant | null {
    const totalUs = offsetUs + (this.#options.timeOffsetMs ?? 0) * 1000
    const isReceived = this.#options.time === 'received' && creationUs !== null
    const sourceUs = isReceived ? creationUs : parseInstantUs(timestamp)
    if (sourceUs === null) return null
    const atUs = sourceUs + totalUs
    return { atUs, text: totalUs === 0 && !isReceived ? timestamp : timestampText(atUs) }
  }
}
