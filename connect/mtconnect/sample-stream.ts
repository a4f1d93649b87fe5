import { DataSets, tooLong } from '../../ingest/shdr/data-set.ts'
import type { Device } from '../../ingest/shdr/devices.ts'
import { timestampText } from '../../ingest/shdr/timestamps.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'
import type { WireSample } from '../../schema/topics.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { allConditions, replaceConditions } from './conditions.ts'
import type { Header, StreamsDocument } from './document.ts'
import { entriesOf } from './entries.ts'
import { addRecent, isRepeated, newState, restate, restoredState, storedItem, type ItemState } from './item-state.ts'
import { MachineItems, machinesOfSource, type MachineItem, type MachineSource } from './machine-items.ts'
import { type Content, contentsOf, plainValue, toContent } from './observation-contents.ts'
import type { StreamObservation } from './observations.ts'
import { runOf, situationOf, type Situation, type StreamPosition } from './position.ts'
import { type Instant, SampleList } from './sample-list.ts'
import { addToSequence, countBetween, parseSequence, type Sequence } from './sequence.ts'

export interface SampleStreamOptions {
  /** Identity of the agent in the numbers of samples, unique in the company. */
  readonly sourceId: string
  readonly machines: readonly MachineSource[]
  /** Devices of the agent's probe document. */
  readonly devices: readonly Device[]
  /** Whether documents contain only some devices of the agent: holes in the sequences are then no fault. */
  readonly isFiltered?: boolean
  /** `now`: the first connection delivers the present values; `buffer`: also the values that the agent still has. */
  readonly start?: 'now' | 'buffer'
  /** `received`: the creationTime of the document replaces the times of its observations. */
  readonly time?: 'source' | 'received'
  /** Whether observations after the position may have been delivered. */
  readonly isBehind?: boolean
  /** Added to each time of the agent. */
  readonly timeOffsetMs?: number
}

/** Samples of a document, and the relation of the previous position to the agent's buffer. */
export interface AppliedDocument {
  readonly situation: Situation
  readonly samples: readonly WireSample[]
}

/** State of an item on which its next values depend. */
interface ItemValues {
  readonly state: ItemState
  readonly sets: DataSets
}

/** Machines that have not received an item, and the values of its present observations; null: they become the item's own. */
interface Addition {
  readonly machineIds: readonly string[]
  readonly values: ItemValues | null
}

type Head = Pick<StreamPosition, 'instanceId' | 'restarts' | 'contactUs'> & { readonly next: Sequence }

/**
 * Converts the documents of an MTConnect agent to samples. A pure function of the position and the documents: it reads no
 * clock, and an interval that is read again from the same position gives the same samples.
 */
export class SampleStream {
  readonly #options: SampleStreamOptions
  #isFiltered: boolean
  readonly #items: MachineItems
  readonly #states = new Map<string, ItemState>()
  /** States that changed since the last call of `takeChanges`. */
  readonly #changed = new Set<ItemState>()
  readonly #sets = new DataSets()
  readonly #samples: SampleList
  readonly #offsetsUs: ReadonlyMap<string, number>
  /** Times of the last observations by item, UTC µs, since the start. */
  readonly #lastUs = new Map<string, number>()
  #head: Head | null = null
  #creationUs: number | null = null
  /** Before this sequence, observations that the position lacks may have been delivered; null: it is not known yet. */
  #deliveredEnd: Sequence | null
  /** Counters since the start. */
  readonly totals = {
    observations: 0,
    samples: 0,
    /** Observations that were read again. */
    duplicates: 0,
    gaps: 0,
    /** Observations that the agent no longer had. */
    lost: 0,
    /** Observations that are missing in a document. */
    holes: 0,
    restarts: 0,
    /** Observations whose time is before that of the previous one of their item. */
    backwards: 0,
    /** Observations without a readable time. */
    invalid: 0,
    /** Data sets that are too long for a sample. */
    tooLong: 0,
  }

  constructor(options: SampleStreamOptions, position: StreamPosition | null) {
    this.#options = options
    this.#isFiltered = options.isFiltered === true
    this.#deliveredEnd = options.isBehind === true ? null : 0
    this.#items = new MachineItems(options.machines, options.devices, position?.keys ?? [])
    this.#offsetsUs = offsetsOf(options)
    this.#samples = new SampleList(position?.newestUs.filter(([machineId]) => this.#offsetsUs.has(machineId)))
    if (position === null) return
    for (const item of position.items) {
      this.#states.set(item.id, restoredState(item))
      if (item.entries !== undefined) this.#sets.restore(item.id, item.entries && new Map(item.entries))
    }
    this.#removeOtherMachines()
    this.#setHead({ ...position, next: parseSequence(position.next) ?? 0 })
  }

  /** Number of observations of items beyond the limit of a connector, since the start. */
  get ignored(): number {
    return this.#items.ignored
  }

  /** Sequence of the next observation; null before the first document. */
  get next(): Sequence | null {
    return this.#head?.next ?? null
  }

  /** creationTime of the last delivered document, UTC µs; null before the first one. */
  get contactUs(): number | null {
    return this.#head?.contactUs ?? null
  }

  /** Returns the position after the applied documents; null before the first one. */
  position(): StreamPosition | null {
    return this.#positionOf([...this.#samples.newestUs], this.#items.usedKeys, this.#states.values())
  }

  /** Returns the position with only those machines, keys and items that changed since the last call. */
  takeChanges(): StreamPosition | null {
    if (this.#head === null) return null
    const changes = this.#positionOf(this.#samples.takeNewest(), this.#items.takeNewKeys(), this.#changed)
    this.#changed.clear()
    return changes
  }

  #positionOf(
    newestUs: StreamPosition['newestUs'],
    keys: StreamPosition['keys'],
    states: Iterable<ItemState>,
  ): StreamPosition | null {
    if (this.#head === null) return null
    const items = [...states].map(state => storedItem(state, this.#sets.entriesOf(state.id)))
    return { ...this.#head, next: String(this.#head.next), newestUs, keys, items }
  }

  /** Whether a document has an item of an assigned device that the probe document lacks. */
  hasUnknownItems({ observations }: StreamsDocument): boolean {
    return observations.some(observation => this.#items.isUnknown(observation))
  }

  /** Replaces the devices after the probe document has changed. Used keys stay. */
  setDevices(devices: readonly Device[], isFiltered = this.#isFiltered): void {
    this.#items.setDevices(devices)
    this.#isFiltered = isFiltered
    this.#removeOtherMachines()
  }

  /** After an item was assigned to other machines, the former ones no longer get its gap markers. */
  #removeOtherMachines(): void {
    for (const state of this.#states.values()) {
      const machineIds = this.#items.machinesOf(state.id) ?? this.#offsetsUs.keys()
      const assigned = new Set(machineIds)
      const kept = state.machineIds.filter(id => assigned.has(id))
      if (kept.length === state.machineIds.length) continue
      state.machineIds = kept
      this.#changed.add(state)
    }
  }

  /** Skips the next observation, whose document cannot be read. */
  skip(): void {
    if (this.#head !== null) this.#setHead({ ...this.#head, next: addToSequence(this.#head.next, 1) })
  }

  /**
   * Applies a document of a `current` or `sample` request. If the situation is not `continue`, only a document of
   * `current` changes the position, so the caller requests it. Then the next request is `sample` from `next`.
   * `abandoned`: number of the oldest observations in the buffer that count as lost after an overrun, because the agent
   * discards them before it answers the next request. `receivedUs`: time of receipt; times that ingest rejects because
   * they are ahead of it do not delay gap markers and restated values.
   */
  apply(
    document: StreamsDocument,
    request: 'current' | 'sample',
    abandoned = 0,
    receivedUs = Infinity,
  ): AppliedDocument {
    this.#samples.received(receivedUs)
    const situation = this.#situationOf(document, request)
    this.#creationUs = document.header.creationUs
    this.#deliveredEnd ??= document.header.nextSequence
    if (request === 'current') this.#applyCurrent(situation, document, abandoned)
    else if (situation === 'continue' && this.#head !== null) this.#continue(this.#head, document)
    const samples = this.#samples.take()
    this.totals.samples += samples.length
    return { situation, samples }
  }

  #applyCurrent(situation: Situation, document: StreamsDocument, abandoned: number): void {
    const head = this.#head
    if (head === null) return this.#start(document)
    if (situation === 'restart') return this.#restart(head, document)
    this.#deliverToAdded(document, head.next)
    if (situation === 'overrun') this.#overrun(head, document, abandoned)
  }

  #situationOf({ header, observations }: StreamsDocument, request: 'current' | 'sample'): Situation {
    const head = this.#head
    const situation = situationOf(head && { ...head, next: String(head.next) }, header)
    // The agent may discard observations between reading them and writing the header.
    const isComplete = request === 'sample' && observations.some(({ sequence }) => sequence === head?.next)
    return situation === 'overrun' && isComplete ? 'continue' : situation
  }

  #setHead(head: Head): void {
    const { instanceId, restarts, contactUs, next } = head
    const isSameRun = this.#head?.instanceId === instanceId && this.#head.restarts === restarts
    if (!isSameRun) this.#samples.run = runOf(this.#options.sourceId, head)
    this.#head = { instanceId, restarts, contactUs, next }
  }

  #start(document: StreamsDocument): void {
    const { header, observations } = document
    const { instanceId, firstSequence, nextSequence, creationUs } = header
    const next = nextSequence ?? afterLast(observations, 0)
    const isBuffer = this.#options.start === 'buffer' && firstSequence !== null
    this.#setHead({ instanceId, restarts: 0, contactUs: creationUs ?? 0, next: isBuffer ? firstSequence : next })
    this.#deliverPresent(document, 0)
  }

  /** Delivers the present values from a sequence up to the position; the later ones are read next. */
  #deliverPresent({ observations }: StreamsDocument, from: Sequence): void {
    const next = this.#head?.next ?? 0
    for (const observation of observations) {
      const { sequence } = observation
      if (sequence >= from && sequence < next) this.#deliver(observation, true)
    }
  }

  /** Delivers the present values before `next` to the machines that have not received their items, such as new ones. */
  #deliverToAdded({ observations }: StreamsDocument, next: Sequence): void {
    const known = new Set(this.#samples.newestUs.keys())
    const added = new Map<string, Addition>()
    for (const observation of observations) {
      const item = observation.sequence < next ? this.#items.find(observation) : null
      if (item === null) continue
      const { machineIds, values } = getOrCreate(added, item.id, () => this.#addMachines(item, known))
      if (machineIds.length > 0) this.#deliverItem({ ...item, machineIds }, observation, true, values)
    }
  }

  /** `known`: the machines that have received samples, and so the values of an item that has no state. */
  #addMachines(item: MachineItem, known: ReadonlySet<string>): Addition {
    const state = this.#states.get(item.id)
    if (state === undefined) {
      const isKnown = (id: string) => item.category === 'SAMPLE' && known.has(id)
      return { machineIds: item.machineIds.filter(id => !isKnown(id)), values: null }
    }
    const delivered = new Set(state.machineIds)
    const machineIds = item.machineIds.filter(id => !delivered.has(id))
    if (machineIds.length > 0) this.#stateOf(item)
    return { machineIds, values: { state: newState(item), sets: new DataSets() } }
  }

  #continue(head: Head, { header, observations }: StreamsDocument): void {
    let expected = head.next
    for (const observation of observations) {
      const { sequence } = observation
      if (sequence < expected) {
        this.totals.duplicates++
        continue
      }
      this.#countHoles(expected, sequence)
      expected = addToSequence(sequence, 1)
      this.#deliver(observation, false)
    }
    const next = header.nextSequence !== null && header.nextSequence > expected ? header.nextSequence : expected
    this.#countHoles(expected, next)
    this.#setHead({ ...head, next, contactUs: header.creationUs ?? head.contactUs })
  }

  #countHoles(expected: Sequence, sequence: Sequence): void {
    if (!this.#isFiltered && sequence !== expected) this.totals.holes += countBetween(expected, sequence)
  }

  #restart(head: Head, document: StreamsDocument): void {
    const { instanceId, firstSequence } = document.header
    this.totals.restarts++
    this.totals.gaps++
    const markers = this.#markerTimes(head)
    for (const state of this.#allChanged()) if (state.category !== 'SAMPLE') this.#markGap(state, markers)
    const restarts = instanceId === head.instanceId ? head.restarts + 1 : 0
    this.#setHead({ ...head, instanceId, restarts, next: firstSequence ?? 0 })
    this.#deliverPresent(document, 0)
  }

  #overrun(head: Head, document: StreamsDocument, abandoned: number): void {
    const { header, observations } = document
    const first = firstAfter(header, head.next, abandoned)
    this.totals.gaps++
    this.totals.lost += countBetween(head.next, first)
    const markers = this.#markerTimes(head)
    const present = byItem(observations)
    for (const state of this.#allChanged())
      this.#overrunItem(state, present.get(state.id) ?? [], head.next, first, markers)
    this.#setHead({ ...head, next: first })
    this.#deliverPresent(document, head.next)
    if (this.#deliveredEnd === null || head.next < this.#deliveredEnd) this.#repeatConditions(header, present)
  }

  /**
   * Delivers the active conditions of a document at its creationTime: further conditions were perhaps delivered after the
   * position was stored, and their ends are lost.
   */
  #repeatConditions({ creationUs }: Header, present: ReadonlyMap<string, readonly StreamObservation[]>): void {
    if (creationUs === null) return
    const times = this.#markerTimes({ contactUs: creationUs })
    for (const state of this.#states.values()) {
      if (state.category !== 'CONDITION') continue
      const changes = allConditions(present.get(state.id) ?? [])
      this.#addAt(state, changes.map(toContent(state.keys[0] ?? '')), times)
    }
  }

  #overrunItem(
    state: ItemState,
    present: readonly StreamObservation[],
    next: Sequence,
    first: Sequence,
    markers: ReadonlyMap<string, number>,
  ): void {
    if (state.category === 'CONDITION') {
      const unchanged = present.filter(({ sequence }) => sequence < next)
      const changes = replaceConditions(state.active, unchanged)
      if (changes.length > 0) this.#pushMarkers(state, changes.map(toContent(state.keys[0] ?? '')), markers)
      return
    }
    const last = present.at(-1)
    if (last === undefined || last.sequence < next) return
    if (state.category === 'EVENT') this.#markGap(state, markers)
    // The changes of a data set from firstSequence on apply to entries that were lost: those of its present value replace them.
    if (state.hasEntries && last.sequence >= first) this.#sets.apply(state.id, entriesOf(last), true)
  }

  #markGap(state: ItemState, markers: ReadonlyMap<string, number>): void {
    state.active.clear()
    if (state.hasEntries) this.#sets.empty(state.id)
    this.#pushMarkers(
      state,
      state.keys.map(key => ({ key, value: unavailableValue })),
      markers,
    )
  }

  #pushMarkers(state: ItemState, contents: readonly Content[], markers: ReadonlyMap<string, number>): void {
    if (state.machineIds.length === 0) return
    const atUs = this.#addAt(state, contents, markers)
    if (!this.#samples.isAhead(atUs)) state.restateUs = atUs
  }

  /** Adds samples without a number at the latest time of the machines; returns it, UTC µs. */
  #addAt(state: ItemState, contents: readonly Content[], markers: ReadonlyMap<string, number>): number {
    const atUs = Math.max(...state.machineIds.map(machineId => markers.get(machineId) ?? 0))
    const instant = { atUs, text: timestampText(atUs) }
    for (const content of contents) this.#samples.add(state, content, instant, null)
    return atUs
  }

  /** Time of gap markers by machine: after the last contact, unless the clock of the agent is wrong, and after all samples. */
  #markerTimes({ contactUs }: Pick<Head, 'contactUs'>): ReadonlyMap<string, number> {
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

  /** `isFull`: the entries of a data set are all its entries. */
  #deliver(observation: StreamObservation, isFull: boolean): void {
    const item = this.#items.find(observation)
    if (item !== null) this.#deliverItem(item, observation, isFull)
  }

  #deliverItem(
    item: MachineItem,
    observation: StreamObservation,
    isFull: boolean,
    values: ItemValues | null = null,
  ): void {
    this.totals.observations++
    const instant = this.#instantOf(observation, item)
    if (instant === null) {
      this.totals.invalid++
      return
    }
    if (instant.atUs < (this.#lastUs.get(item.id) ?? 0)) this.totals.backwards++
    this.#lastUs.set(item.id, instant.atUs)
    const value = item.category === 'SAMPLE' ? plainValue(item, observation) : null
    if (value !== null)
      this.#samples.add(item, { key: item.key, value, isNumbered: true }, instant, observation.sequence)
    else
      this.#deliverState(item, values ?? { state: this.#stateOf(item), sets: this.#sets }, observation, instant, isFull)
  }

  #deliverState(
    item: MachineItem,
    { state, sets }: ItemValues,
    observation: StreamObservation,
    instant: Instant,
    isFull: boolean,
  ): void {
    const { atUs } = instant
    if (item.isDiscrete && isRepeated(state, atUs, observation.text)) {
      this.totals.duplicates++
      return
    }
    const contents = contentsOf(item, state, observation, isFull, sets)
    if (state.hasEntries && contents[0]?.value === tooLong) this.totals.tooLong++
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

  /** Returns the state of an item, which the caller changes and whose values all its machines receive. */
  #stateOf(item: MachineItem): ItemState {
    const state = getOrCreate(this.#states, item.id, () => newState(item))
    state.machineIds = item.machineIds
    this.#changed.add(state)
    return state
  }

  #allChanged(): Iterable<ItemState> {
    for (const state of this.#states.values()) this.#changed.add(state)
    return this.#states.values()
  }

  #instantOf({ timestamp }: StreamObservation, { offsetUs }: MachineItem): Instant | null {
    const totalUs = offsetUs + (this.#options.timeOffsetMs ?? 0) * 1000
    const isReceived = this.#options.time === 'received' && this.#creationUs !== null
    const sourceUs = isReceived ? this.#creationUs : parseInstantUs(timestamp)
    if (sourceUs === null) return null
    const atUs = sourceUs + totalUs
    return { atUs, text: totalUs === 0 && !isReceived ? timestamp : timestampText(atUs) }
  }
}

/** First sequence that is read after an overrun. */
function firstAfter({ firstSequence, nextSequence }: Header, next: Sequence, abandoned: number): Sequence {
  const first = addToSequence(firstSequence ?? next, abandoned)
  return nextSequence !== null && nextSequence < first ? nextSequence : first
}

function byItem(observations: readonly StreamObservation[]): ReadonlyMap<string, readonly StreamObservation[]> {
  const items = new Map<string, StreamObservation[]>()
  for (const observation of observations) {
    const known = items.get(observation.dataItemId)
    if (known === undefined) items.set(observation.dataItemId, [observation])
    else known.push(observation)
  }
  return items
}

function afterLast(observations: readonly StreamObservation[], otherwise: Sequence): Sequence {
  const last = observations.at(-1)
  return last === undefined ? otherwise : addToSequence(last.sequence, 1)
}

function offsetsOf({ machines, timeOffsetMs = 0 }: SampleStreamOptions): ReadonlyMap<string, number> {
  return new Map(
    machines.flatMap(source =>
      machinesOfSource(source).map(id => [id, ((source.timeOffsetMs ?? 0) + timeOffsetMs) * 1000] as const),
    ),
  )
}
