import { isUnavailable } from '../../ingest/shdr/words.ts'
import type { StreamsDocument } from './document.ts'
import { byItem, type PresentItems } from './gap-markers.ts'
import { holdsState } from './item-state.ts'
import type { MachineItem } from './machine-items.ts'
import type { StreamObservation } from './observations.ts'
import type { Sequence } from './sequence.ts'

/** Present states of a document that are delivered again when all observations before `end` have been read. */
interface StatesToRepeat {
  readonly end: Sequence
  readonly creationUs: number
  readonly conditions: PresentItems
  readonly events: readonly (readonly [MachineItem, StreamObservation])[]
}

/** Decides which states are delivered again because the agent discarded observations that may have been delivered. */
export class RepeatedStates {
  /** In this run before this sequence, observations that the position lacks may have been delivered; null: it is not known yet. */
  #delivered: { readonly instanceId: string; readonly end: Sequence } | null
  /** First sequence of the states that are still to be repeated: after a lost connection, those that are present then. */
  #from: Sequence | null
  #waiting: StatesToRepeat | null = null

  /** `isBehind`: observations after the position may have been delivered. `from`: `repeatFrom` of the position. */
  constructor(isBehind: boolean, from: Sequence | null) {
    this.#delivered = isBehind ? null : { instanceId: '', end: 0 }
    this.#from = from
  }

  /** First sequence of the states that are still to be repeated; null: none are. */
  get from(): Sequence | null {
    return this.#from
  }

  /** Sets the end of the delivered observations to the end of the first document. */
  setDelivered({ header: { instanceId, nextSequence } }: StreamsDocument): void {
    if (nextSequence !== null) this.#delivered ??= { instanceId, end: nextSequence }
  }

  /** Forgets the states of the previous run. */
  clear(): void {
    this.#waiting = null
    this.#from = null
  }

  /**
   * Prepares the present states of a document from `begin` on, if further ones may have been delivered: their ends are lost.
   * `find`: the item of an observation, if it is delivered. `next`: sequence of the next observation.
   */
  prepare(
    { header, observations }: StreamsDocument,
    begin: Sequence,
    options: {
      readonly next: Sequence
      readonly hasEvents: boolean
      readonly find: (observation: StreamObservation) => MachineItem | null
    },
  ): void {
    const { instanceId, creationUs, nextSequence } = header
    const delivered = this.#delivered
    const isBehind = delivered === null || (delivered.instanceId === instanceId && begin < delivered.end)
    if (creationUs === null || !(isBehind || this.#from !== null)) return
    const from = this.#from ?? begin
    const events = (nextSequence !== null && options.hasEvents ? observations : []).flatMap(observation => {
      const item = observation.sequence < from ? null : options.find(observation)
      const isState = item?.category === 'EVENT' && holdsState(item, observation.text)
      return isState && !isUnavailable(observation.text) ? [[item, observation] as const] : []
    })
    this.#from = from
    const conditions = byItem(observations)
    this.#waiting = { end: nextSequence ?? options.next, creationUs, conditions, events }
  }

  /** Returns the states to deliver now, once, if all observations before them have been read; null: none. */
  take(next: Sequence): StatesToRepeat | null {
    const waiting = this.#waiting
    if (waiting === null || next < waiting.end) return null
    this.clear()
    return waiting
  }
}
