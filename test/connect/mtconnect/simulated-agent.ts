import type { StreamsDocument } from '../../../connect/mtconnect/document.ts'
import { streams, type Written } from './documents.ts'

/** Value that the machine has: its time, its text, and the attributes of a condition. */
interface Held {
  readonly ms: number
  readonly value: string
  readonly attributes: Readonly<Record<string, string>>
}

interface Buffered extends Written {
  readonly sequence: number
  /** Number of the finished part that a discrete observation reports; resent ones have the same. */
  readonly part?: number
}

/** Ids of the items of the simulated machine, by kind. */
export const eventIds = ['exec', 'mode'] as const
export const conditionIds = ['sys', 'logic'] as const

/** A machine, its adapter and an MTConnect agent with a bounded buffer. Each call of a change advances the clock. */
export class SimulatedAgent {
  readonly #bufferSize: number
  readonly #held = new Map<string, Held>()
  /** Active conditions of the machine by item and code. */
  readonly #active = new Map<string, Map<string, Held>>()
  #buffer: Buffered[] = []
  /** Present observations by item: one, or those of the active codes. */
  #present = new Map<string, readonly Buffered[]>()
  #instance = 1
  #next = 1
  #ms = 0
  #parts = 0
  /** Sequences of the first observations of parts in this run of the agent. */
  readonly #firstSequences = new Map<number, number>()
  isConnected = true

  constructor(bufferSize: number) {
    this.#bufferSize = bufferSize
    this.#begin()
  }

  get next(): number {
    return this.#next
  }

  get first(): number {
    return Math.max(1, this.#next - this.#bufferSize)
  }

  /** Texts of the events as the agent has them. */
  events(): Readonly<Record<string, string>> {
    return Object.fromEntries(eventIds.map(id => [id, this.#present.get(id)?.at(-1)?.value ?? '']))
  }

  /** Active codes of a condition and their levels as the agent has them. */
  conditions(id: string): Readonly<Record<string, string>> {
    const present = this.#present.get(id) ?? []
    const active = present.filter(({ value }) => value === 'Warning' || value === 'Fault')
    return Object.fromEntries(active.map(({ value = '', attributes }) => [attributes?.['nativeCode'] ?? '', value]))
  }

  setEvent(id: string, value: string): void {
    this.#ms += 1
    const held = { ms: this.#ms, value, attributes: {} }
    this.#held.set(id, held)
    if (this.isConnected) this.#addEvent(id, held)
  }

  /** `code` '' with the level Normal ends all codes. */
  setCondition(id: string, level: 'Normal' | 'Warning' | 'Fault', code: string): void {
    this.#ms += 1
    const held = { ms: this.#ms, value: level, attributes: code === '' ? {} : { nativeCode: code } }
    const active = this.#active.get(id) ?? new Map<string, Held>()
    this.#active.set(id, active)
    if (level !== 'Normal') active.set(code, held)
    else if (code === '') active.clear()
    else active.delete(code)
    if (this.isConnected) this.#addCondition(id, held, code)
  }

  finishPart(): void {
    this.#ms += 1
    this.#parts += 1
    const held = { ms: this.#ms, value: '1', attributes: {} }
    this.#held.set('part', held)
    if (this.isConnected) this.#addEvent('part', held, this.#parts)
  }

  /** The agent loses its adapter: all items become UNAVAILABLE. */
  disconnect(): void {
    this.isConnected = false
    this.#ms += 1
    this.#setUnavailable()
  }

  /** The adapter sends all values again, with the times since when they hold, in an order that the caller selects. */
  connect(isReversed: boolean): void {
    this.isConnected = true
    this.#ms += 1
    const events = [...this.#held].map(
      ([id, held]) =>
        () =>
          this.#addEvent(id, held, id === 'part' ? this.#parts : undefined),
    )
    const conditions = [...this.#active].flatMap(([id, codes]) =>
      codes.size === 0
        ? [() => this.#addCondition(id, { ms: this.#ms, value: 'Normal', attributes: {} }, '')]
        : [...codes].map(
            ([code, held]) =>
              () =>
                this.#addCondition(id, held, code),
          ),
    )
    const all = [...events, ...conditions]
    for (const add of isReversed ? all.reverse() : all) add()
  }

  restart(changesInstance: boolean): void {
    this.#ms += 1
    if (changesInstance) this.#instance += 1
    this.#next = 1
    this.#buffer = []
    this.#firstSequences.clear()
    this.#begin()
    if (this.isConnected) this.connect(false)
  }

  /** Response to `sample`; null: OUT_OF_RANGE. */
  sample(from: number, count: number): StreamsDocument | null {
    if (from < this.first || from > this.#next) return null
    const observations = this.#buffer.filter(({ sequence }) => sequence >= from).slice(0, count)
    return this.#document(observations, (observations.at(-1)?.sequence ?? from - 1) + 1)
  }

  current(): StreamsDocument {
    return this.#document([...this.#present.values()].flat(), this.#next)
  }

  /** Parts whose observations are in a range of sequences of the buffer. */
  partsIn(from: number, to: number): readonly number[] {
    return this.#buffer.filter(({ sequence }) => sequence >= from && sequence < to).flatMap(({ part }) => part ?? [])
  }

  /** Whether the buffer has the observation that first reported a part in this run of the agent. */
  hasFirstObservationOf(part: number): boolean {
    return (this.#firstSequences.get(part) ?? 0) >= this.first
  }

  /** Parts of the present observations in a range of sequences. */
  presentPartsIn(from: number, to: number): readonly number[] {
    const present = this.#present.get('part') ?? []
    return present.filter(({ sequence }) => sequence >= from && sequence < to).flatMap(({ part }) => part ?? [])
  }

  /** Items with an observation from a sequence on. */
  changedSince(sequence: number): ReadonlySet<string> {
    return new Set([...this.#present].filter(([, all]) => all.some(one => one.sequence >= sequence)).map(([id]) => id))
  }

  get createdMs(): number {
    return this.#ms
  }

  #document(observations: readonly Buffered[], next: number): StreamsDocument {
    // A document groups observations by item.
    const grouped = [...observations].sort((a, b) => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1))
    return streams({
      instanceId: String(this.#instance),
      first: this.first,
      next,
      createdMs: this.#ms,
      observations: grouped,
    })
  }

  #begin(): void {
    this.#present = new Map()
    this.#setUnavailable()
  }

  #setUnavailable(): void {
    for (const id of [...eventIds, 'part']) this.#addEvent(id, { ms: this.#ms, value: 'UNAVAILABLE', attributes: {} })
    for (const id of conditionIds) this.#addCondition(id, { ms: this.#ms, value: 'Unavailable', attributes: {} }, '')
  }

  #addEvent(id: string, held: Held, part?: number): void {
    this.#present.set(id, [this.#add(id, held, part)])
  }

  #addCondition(id: string, held: Held, code: string): void {
    const added = this.#add(id, held)
    const isActive = held.value === 'Warning' || held.value === 'Fault'
    const others = (this.#present.get(id) ?? []).filter(
      ({ value, attributes }) =>
        (value === 'Warning' || value === 'Fault') && (attributes?.['nativeCode'] ?? '') !== code,
    )
    const endsAll = !isActive && code === ''
    const kept = endsAll ? [] : others
    this.#present.set(id, isActive || kept.length === 0 ? [...kept, added] : kept)
  }

  #add(id: string, { ms, value, attributes }: Held, part?: number): Buffered {
    const sequence = this.#next++
    if (part !== undefined && !this.#firstSequences.has(part)) this.#firstSequences.set(part, sequence)
    const added = { id, sequence, ms, value, attributes, ...(part !== undefined && { part }) }
    this.#buffer.push(added)
    this.#buffer = this.#buffer.slice(-this.#bufferSize)
    return added
  }
}
