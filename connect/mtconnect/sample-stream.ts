import type { Device } from '../../ingest/shdr/devices.ts'
import { DataSets } from '../../ingest/shdr/data-set.ts'
import type { WireSample } from '../../schema/topics.ts'
import { runSync, type Steps } from '../../shared/async/steps.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { inParts } from '../../shared/collections/in-parts.ts'
import type { Header, StreamsDocument } from './document.ts'
import { byItem, GapMarkers } from './gap-markers.ts'
import { newState } from './item-state.ts'
import { ItemStates } from './item-states.ts'
import { MachineItems, machinesOfSource, type MachineItem, type MachineSource } from './machine-items.ts'
import { type ItemValues, type ObservationOptions, ObservationSamples } from './observation-samples.ts'
import type { StreamObservation } from './observations.ts'
import { runOf, situationOf, type Situation, type StreamPosition } from './position.ts'
import { RepeatedStates } from './repeated-states.ts'
import { SampleList } from './sample-list.ts'
import { addToSequence, countBetween, parseSequence, type Sequence } from './sequence.ts'

export interface SampleStreamOptions extends ObservationOptions {
  /** Identity of the agent in the numbers of samples, unique in the company. */
  readonly sourceId: string
  readonly machines: readonly MachineSource[]
  /** Devices of the agent's probe document. */
  readonly devices: readonly Device[]
  /** Whether documents contain only some devices of the agent: holes in the sequences are then no fault. */
  readonly isFiltered?: boolean
  /**
   * `now`: the first connection delivers the present values; `buffer`: also the values that the agent still has; a number:
   * at most that many of the latest of them.
   */
  readonly start?: 'now' | 'buffer' | number
  /** Whether observations after the position may have been delivered. */
  readonly isBehind?: boolean
}

/** Samples of a document, and the relation of the previous position to the agent's buffer. */
export interface AppliedDocument {
  readonly situation: Situation
  readonly samples: readonly WireSample[]
}

/** Observations between two yields. */
const stepObservations = 2_000

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
  readonly #states: ItemStates
  readonly #samples: SampleList
  readonly #observations: ObservationSamples
  readonly #markers: GapMarkers
  /** Offsets that are added to the times of each machine, µs. */
  readonly #offsetsUs: ReadonlyMap<string, number>
  #head: Head | null = null
  #creationUs: number | null = null
  readonly #repeated: RepeatedStates
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
    this.#repeated = new RepeatedStates(options.isBehind === true, parseSequence(position?.repeatFrom ?? ''))
    this.#items = new MachineItems(options.machines, options.devices, position?.keys ?? [])
    this.#offsetsUs = offsetsOf(options)
    this.#samples = new SampleList(position?.newestUs.filter(([machineId]) => this.#offsetsUs.has(machineId)))
    this.#states = new ItemStates(position?.items)
    this.#observations = new ObservationSamples(this.#samples, this.#states, options, this.totals)
    this.#markers = new GapMarkers(this.#samples, this.#states, this.#offsetsUs)
    if (position === null) return
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
    return this.#positionOf([...this.#samples.newestUs], this.#items.usedKeys, this.#states.stored())
  }

  /** Returns the position with only those machines, keys and items that changed since the last call. */
  takeChanges(): StreamPosition | null {
    if (this.#head === null) return null
    return this.#positionOf(this.#samples.takeNewest(), this.#items.takeNewKeys(), this.#states.takeChanged())
  }

  #positionOf(
    newestUs: StreamPosition['newestUs'],
    keys: StreamPosition['keys'],
    items: StreamPosition['items'],
  ): StreamPosition | null {
    if (this.#head === null) return null
    const { from } = this.#repeated
    const repeated = from === null ? {} : { repeatFrom: String(from) }
    return { ...this.#head, ...repeated, next: String(this.#head.next), newestUs, keys, items }
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

  #removeOtherMachines(): void {
    this.#states.removeOtherMachines(id => this.#items.machinesOf(id) ?? this.#offsetsUs.keys())
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
    return runSync(this.applyInSteps(document, request, abandoned, receivedUs))
  }

  /** Applies a document as `apply`, in small steps; the position is that of the document after the last one. */
  *applyInSteps(
    document: StreamsDocument,
    request: 'current' | 'sample',
    abandoned: number,
    receivedUs: number,
  ): Steps<AppliedDocument> {
    this.#samples.received(receivedUs)
    const situation = this.#situationOf(document, request)
    this.#creationUs = document.header.creationUs
    this.#repeated.setDelivered(document)
    if (request === 'current') yield* this.#applyCurrent(situation, document, abandoned)
    else if (situation === 'continue' && this.#head !== null) yield* this.#continue(this.#head, document)
    const samples = this.#samples.take()
    this.totals.samples += samples.length
    return { situation, samples }
  }

  *#applyCurrent(situation: Situation, document: StreamsDocument, abandoned: number): Steps<void> {
    const head = this.#head
    if (head === null) return yield* this.#start(document)
    if (situation === 'restart') return yield* this.#restart(head, document)
    yield* this.#deliverToAdded(document, head.next)
    if (situation === 'overrun') yield* this.#overrun(head, document, abandoned)
    else if (this.#repeated.from !== null) this.#repeatStates(document, this.#repeated.from)
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

  *#start(document: StreamsDocument): Steps<void> {
    const { header, observations } = document
    const { instanceId, firstSequence, nextSequence, creationUs } = header
    const next = nextSequence ?? afterLast(observations, 0)
    const first = firstSequence === null ? next : firstRead(this.#options.start ?? 'now', firstSequence, next)
    this.#setHead({ instanceId, restarts: 0, contactUs: creationUs ?? 0, next: first })
    yield* this.#deliverPresent(document, 0)
  }

  /** Delivers the present values from a sequence up to the position; the later ones are read next. */
  *#deliverPresent({ observations }: StreamsDocument, from: Sequence): Steps<void> {
    const next = this.#head?.next ?? 0
    for (const part of inParts(observations, stepObservations)) {
      for (const observation of part)
        if (observation.sequence >= from && observation.sequence < next) this.#deliver(observation, true)
      yield
    }
  }

  /** Delivers the present values before `next` to the machines that have not received their items, such as new ones. */
  *#deliverToAdded({ observations }: StreamsDocument, next: Sequence): Steps<void> {
    const known = new Set(this.#samples.newestUs.keys())
    const added = new Map<string, Addition>()
    for (const part of inParts(observations, stepObservations)) {
      for (const observation of part) {
        const item = observation.sequence < next ? this.#items.find(observation) : null
        if (item === null) continue
        const { machineIds, values } = getOrCreate(added, item.id, () => this.#addMachines(item, known))
        if (machineIds.length > 0) this.#add({ ...item, machineIds }, observation, true, values)
      }
      yield
    }
  }

  /** `known`: the machines that have received samples, and so the values of an item that has no state. */
  #addMachines(item: MachineItem, known: ReadonlySet<string>): Addition {
    const state = this.#states.find(item.id)
    if (state === undefined) {
      const isKnown = (id: string) => item.category === 'SAMPLE' && known.has(id)
      return { machineIds: item.machineIds.filter(id => !isKnown(id)), values: null }
    }
    const delivered = new Set(state.machineIds)
    const machineIds = item.machineIds.filter(id => !delivered.has(id))
    if (machineIds.length > 0) this.#states.of(item)
    return { machineIds, values: { state: newState(item), sets: new DataSets() } }
  }

  *#continue(head: Head, { header, observations }: StreamsDocument): Steps<void> {
    let expected = head.next
    for (const part of inParts(observations, stepObservations)) {
      expected = this.#deliverFrom(expected, part)
      yield
    }
    const next = header.nextSequence !== null && header.nextSequence > expected ? header.nextSequence : expected
    this.#countHoles(expected, next)
    this.#setHead({ ...head, next, contactUs: header.creationUs ?? head.contactUs })
    this.#repeat(next)
  }

  /** Delivers the observations from a sequence on; returns the sequence after the last one. */
  #deliverFrom(from: Sequence, observations: readonly StreamObservation[]): Sequence {
    let expected = from
    for (const observation of observations) {
      const { sequence } = observation
      this.#repeat(sequence)
      if (sequence < expected) {
        this.totals.duplicates++
        continue
      }
      this.#countHoles(expected, sequence)
      expected = addToSequence(sequence, 1)
      this.#deliver(observation, false)
    }
    return expected
  }

  #countHoles(expected: Sequence, sequence: Sequence): void {
    if (!this.#isFiltered && sequence !== expected) this.totals.holes += countBetween(expected, sequence)
  }

  *#restart(head: Head, document: StreamsDocument): Steps<void> {
    const { instanceId, firstSequence } = document.header
    this.totals.restarts++
    this.totals.gaps++
    this.#repeated.clear()
    this.#markers.markRestart(head.contactUs)
    const restarts = instanceId === head.instanceId ? head.restarts + 1 : 0
    this.#setHead({ ...head, instanceId, restarts, next: firstSequence ?? 0 })
    yield* this.#deliverPresent(document, 0)
    if (firstSequence !== null && firstSequence > firstOfRun) this.#repeatStates(document, firstOfRun)
  }

  *#overrun(head: Head, document: StreamsDocument, abandoned: number): Steps<void> {
    const { header, observations } = document
    const first = firstAfter(header, head.next, abandoned)
    this.totals.gaps++
    this.totals.lost += countBetween(head.next, first)
    const present = byItem(observations)
    this.#markers.markOverrun(present, { next: head.next, first }, head.contactUs)
    this.#setHead({ ...head, next: first })
    yield* this.#deliverPresent(document, head.next)
    this.#repeatStates(document, head.next)
  }

  /** Repeats the present states from `begin` on, if needed, when all observations before them have been read. */
  #repeatStates(document: StreamsDocument, begin: Sequence): void {
    const next = this.#head?.next ?? 0
    // Times of receipt never go back.
    const hasEvents = this.#options.time !== 'received'
    this.#repeated.prepare(document, begin, { next, hasEvents, find: observation => this.#items.find(observation) })
    this.#repeat(next)
  }

  /** Delivers the states to repeat if all observations before them have been read. */
  #repeat(next: Sequence): void {
    const repeated = this.#repeated.take(next)
    if (repeated === null) return
    const { creationUs, conditions, events } = repeated
    this.#markers.repeatConditions(conditions, creationUs)
    const states = events.map(([item]) => this.#states.of(item))
    this.#markers.restateAfter(states, creationUs)
    for (const [item, observation] of events) this.#add(item, observation, true)
  }

  /** `isFull`: the entries of a data set are all its entries. */
  #deliver(observation: StreamObservation, isFull: boolean): void {
    const item = this.#items.find(observation)
    if (item !== null) this.#add(item, observation, isFull)
  }

  #add(item: MachineItem, observation: StreamObservation, isFull: boolean, values: ItemValues | null = null): void {
    this.#observations.add(item, observation, { creationUs: this.#creationUs, isFull, values })
  }
}

/** Sequence of the first observation of a run. */
const firstOfRun = 1

/** First sequence that a first connection reads of those from `first` on and before `next`. */
function firstRead(start: 'now' | 'buffer' | number, first: Sequence, next: Sequence): Sequence {
  if (start === 'now') return next
  const latest = start === 'buffer' ? first : addToSequence(next, -start)
  return latest > first ? latest : first
}

/** First sequence that is read after an overrun. */
function firstAfter({ firstSequence, nextSequence }: Header, next: Sequence, abandoned: number): Sequence {
  const first = addToSequence(firstSequence ?? next, abandoned)
  return nextSequence !== null && nextSequence < first ? nextSequence : first
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
