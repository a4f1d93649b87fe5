interface TimeRange {
  readonly from: number
  readonly to: number
}

/** Up to this number of ranges, `addAll` adds them one by one. */
const fewRanges = 16

/**
 * A set of instants (ms) as sorted, disjoint ranges. The cost of a range does not depend on its length; changes use
 * binary search.
 */
export class TimeRanges {
  #ranges: TimeRange[] = []
  #lengthMs = 0

  get ranges(): readonly TimeRange[] {
    return this.#ranges
  }

  /** Total length of all ranges. */
  get lengthMs(): number {
    return this.#lengthMs
  }

  get first(): number | undefined {
    return this.#ranges[0]?.from
  }

  has(ms: number): boolean {
    return this.at(ms) !== undefined
  }

  /** Returns the range that contains the instant. */
  at(ms: number): TimeRange | undefined {
    const range = this.#ranges[this.#indexAfter(ms)]
    return range && range.from <= ms ? range : undefined
  }

  /** Returns the first instant of the set that is not before `ms`. */
  firstFrom(ms: number): number | undefined {
    const range = this.#ranges[this.#indexAfter(ms)]
    return range && Math.max(range.from, ms)
  }

  /** Returns whether any instant of [from, to) is in the set. */
  overlaps(from: number, to: number): boolean {
    const range = this.#ranges[this.#indexAfter(from)]
    return range !== undefined && range.from < to
  }

  /** Adds [from, to). */
  add(from: number, to: number): void {
    if (from >= to) return
    const index = this.#indexFrom(from)
    let end = index
    let merged = { from, to }
    for (let next = this.#ranges[end]; next && next.from <= to; next = this.#ranges[++end])
      merged = { from: Math.min(merged.from, next.from), to: Math.max(merged.to, next.to) }
    this.#replace(index, end, [merged])
  }

  /** Removes [from, to). */
  remove(from: number, to: number): void {
    if (from >= to) return
    const index = this.#indexAfter(from)
    let end = index
    const left: TimeRange[] = []
    for (let next = this.#ranges[end]; next && next.from < to; next = this.#ranges[++end]) {
      if (next.from < from) left.push({ from: next.from, to: from })
      if (next.to > to) left.push({ from: to, to: next.to })
    }
    if (end > index) this.#replace(index, end, left)
  }

  /** Adds many ranges, in any order, in one pass over the set. */
  addAll(added: readonly TimeRange[]): void {
    if (added.length < fewRanges) {
      for (const { from, to } of added) this.add(from, to)
      return
    }
    const all = [...this.#ranges, ...added.filter(({ from, to }) => from < to)].sort((a, b) => a.from - b.from)
    this.#ranges = []
    this.#lengthMs = 0
    for (const { from, to } of all) this.add(from, to)
  }

  /** Replaces the ranges from `index` to before `end`. */
  #replace(index: number, end: number, ranges: readonly TimeRange[]): void {
    for (const { from, to } of this.#ranges.splice(index, end - index, ...ranges)) this.#lengthMs -= to - from
    for (const { from, to } of ranges) this.#lengthMs += to - from
  }

  /** Returns the index of the first range that ends at the instant or later. */
  #indexFrom(ms: number): number {
    const index = this.#indexAfter(ms)
    return this.#ranges[index - 1]?.to === ms ? index - 1 : index
  }

  /** Returns the index of the first range that ends after the instant. */
  #indexAfter(ms: number): number {
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ranges[middle]?.to ?? Infinity) <= ms) low = middle + 1
      else high = middle
    }
    return low
  }
}
