import { type HistorySegment, isSame } from '../holds/machine-history.ts'

type State = Omit<HistorySegment, 'start' | 'end'>

/** The states that rules distinguish, each once: combinations of status, reason, shift and scheduled time. */
export class StateTable {
  readonly #states: State[] = []
  readonly #numbers = new Map<string, number>()

  get(number: number): State | undefined {
    return this.#states[number]
  }

  numberOf({ status, reason, scheduled, shift }: State): number {
    const key = `${status} ${reason} ${scheduled} ${shift}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#states.push({ status, reason, scheduled, shift }) - 1
    this.#numbers.set(key, number)
    return number
  }
}

/** Numbers of a packed state: its start and end, as offsets in the hour in ms, and its number in the table. */
const width = 3
/** How much space a document gets when its states exceed it, as a multiple of their number. */
const growth = 1.25

/** The states of a document as rules see them, in 12 bytes each. They are replaced in place: most documents only get longer. */
export class PackedStates {
  readonly #table: StateTable
  #numbers = new Uint32Array(0)
  #length = 0

  constructor(table: StateTable) {
    this.#table = table
  }

  get byteLength(): number {
    return this.#numbers.byteLength
  }

  /**
   * Replaces the states; those between which rules see no difference become one. Returns the offset from which on rules see
   * other states than before, ms: the start of the first different one. null: they are equal.
   */
  replace(segments: readonly HistorySegment[]): number | null {
    let changedMs: number | null = null
    let at = 0
    for (let index = 0; index < segments.length; index++, at += width) {
      const segment = segments[index]
      index = lastOfState(segments, index)
      const end = segments[index]?.end
      if (!segment || end === undefined) break
      if (changedMs === null && !this.#isAt(at, segment, end)) changedMs = Math.min(segment.start, this.#startAt(at))
      if (changedMs !== null) this.#set(at, segment, end)
    }
    if (changedMs === null && at < this.#length) changedMs = this.#startAt(at)
    this.#length = at
    return changedMs
  }

  /** Returns the states that end after an offset in the hour, ms. */
  after(offsetMs: number): readonly HistorySegment[] {
    const segments: HistorySegment[] = []
    for (let at = this.#length - width; at >= 0 && (this.#numbers[at + 1] ?? 0) > offsetMs; at -= width) {
      const state = this.#table.get(this.#numbers[at + 2] ?? 0)
      if (state) segments.push({ ...state, start: this.#numbers[at] ?? 0, end: this.#numbers[at + 1] ?? 0 })
    }
    return segments.reverse()
  }

  #isAt(at: number, segment: HistorySegment, end: number): boolean {
    if (at >= this.#length || this.#numbers[at] !== segment.start || this.#numbers[at + 1] !== end) return false
    const state = this.#table.get(this.#numbers[at + 2] ?? 0)
    return state !== undefined && isSame(state, segment)
  }

  #startAt(at: number): number {
    return at < this.#length ? (this.#numbers[at] ?? 0) : Infinity
  }

  #set(at: number, segment: HistorySegment, end: number): void {
    if (at >= this.#numbers.length) {
      const larger = new Uint32Array(width * Math.ceil((growth * (at + width)) / width))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[at] = segment.start
    this.#numbers[at + 1] = end
    this.#numbers[at + 2] = this.#table.numberOf(segment)
  }
}

/** Returns the index of the last one of the segments between which rules see no difference, from an index on. */
function lastOfState(segments: readonly HistorySegment[], index: number): number {
  const first = segments[index]
  let last = index
  for (;;) {
    const next = segments[last + 1]
    if (!first || !next || next.start !== segments[last]?.end || !isSame(first, next)) return last
    last++
  }
}
