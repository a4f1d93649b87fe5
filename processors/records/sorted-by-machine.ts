import { compareTexts } from '../../shared/collections/compare-texts.ts'

/** Records of each machine, sorted after every change. */
export class SortedByMachine<T extends { readonly machineId: string }> {
  readonly #machines = new Map<string, T[]>()
  readonly #compare: (a: T, b: T) => number
  #size = 0

  /** `compare` returns 0 only for the same record. */
  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare
  }

  /** Returns a live view, valid until the next change. */
  of(machineId: string): readonly T[] {
    return this.#machines.get(machineId) ?? []
  }

  /** Number of records of all machines. */
  get size(): number {
    return this.#size
  }

  /** Returns the ids of the machines that have, or had, records. */
  machineIds(): Iterable<string> {
    return this.#machines.keys()
  }

  /** Returns the records of all machines. */
  *all(): Generator<T, void> {
    for (const list of this.#machines.values()) yield* list
  }

  replace(before: T | null, after: T | null): void {
    if (before) this.#remove(before)
    if (after) this.#insert(after)
  }

  #insert(record: T): void {
    const list = this.#machines.get(record.machineId)
    this.#size++
    const last = list?.at(-1)
    if (!list) this.#machines.set(record.machineId, [record])
    else if (last !== undefined && this.#compare(last, record) < 0) list.push(record)
    else list.splice(this.#position(list, record), 0, record)
  }

  #remove(record: T): void {
    const list = this.#machines.get(record.machineId)
    if (!list) return
    const position = this.#position(list, record)
    const found = list[position]
    if (!found || this.#compare(found, record) !== 0) return
    list.splice(position, 1)
    this.#size--
  }

  /** Returns the index of the first record that is not before `record`. */
  #position(list: readonly T[], record: T): number {
    return firstIndex(list, candidate => this.#compare(candidate, record) < 0)
  }
}

/**
 * Returns the index of the first item for which `isBefore` is false; the length if there is none. Items for which it is
 * true must come first (binary search).
 */
export function firstIndex<T>(list: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const candidate = list[middle]
    if (candidate !== undefined && isBefore(candidate)) low = middle + 1
    else high = middle
  }
  return low
}

/** Compares records by name, then by id. */
export function byName(a: NamedRecord, b: NamedRecord): number {
  return compareTexts(a.name, b.name) || compareTexts(a.id, b.id)
}

interface NamedRecord {
  readonly id: string
  readonly name: string
}
