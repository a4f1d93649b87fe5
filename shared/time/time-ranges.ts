interface Stretch {
  readonly from: number
  readonly to: number
}

/** Up to this number, ranges are added one by one. */
const fewRanges = 16

/** A set of instants (ms), kept as disjoint ranges in order. A range costs the same however long it is; a change searches by halves. */
export class TimeRanges {
  #ranges: Stretch[] = []
  #lengthMs = 0

  get ranges(): readonly Stretch[] {
    return this.#ranges
  }

  /** The length of all ranges together. */
  get lengthMs(): number {
    return this.#lengthMs
  }

  get first(): number | undefined {
    return this.#ranges[0]?.from
  }

  has(ms: number): boolean {
    return this.at(ms) !== undefined
  }

  /** The range that holds the instant. */
  at(ms: number): Stretch | undefined {
    const range = this.#ranges[this.#indexAfter(ms)]
    return range && range.from <= ms ? range : undefined
  }

  /** The first instant of the set that is not before `ms`. */
  firstFrom(ms: number): number | undefined {
    const range = this.#ranges[this.#indexAfter(ms)]
    return range && Math.max(range.from, ms)
  }

  /** Whether any instant of [from, to) is in the set. */
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
    const left: Stretch[] = []
    for (let next = this.#ranges[end]; next && next.from < to; next = this.#ranges[++end]) {
      if (next.from < from) left.push({ from: next.from, to: from })
      if (next.to > to) left.push({ from: to, to: next.to })
    }
    if (end > index) this.#replace(index, end, left)
  }

  /** Adds many at once, in any order: one pass over the set, however many there are. */
  addAll(added: readonly Stretch[]): void {
    if (added.length < fewRanges) {
      for (const { from, to } of added) this.add(from, to)
      return
    }
    const all = [...this.#ranges, ...added.filter(({ from, to }) => from < to)].sort((a, b) => a.from - b.from)
    this.#ranges = []
    this.#lengthMs = 0
    for (const { from, to } of all) this.add(from, to)
  }

  /** Puts other ranges in the place of those from one index to another. */
  #replace(index: number, end: number, ranges: readonly Stretch[]): void {
    for (const { from, to } of this.#ranges.splice(index, end - index, ...ranges)) this.#lengthMs -= to - from
    for (const { from, to } of ranges) this.#lengthMs += to - from
  }

  /** Index of the first range that ends at the instant or after it. */
  #indexFrom(ms: number): number {
    const index = this.#indexAfter(ms)
    return this.#ranges[index - 1]?.to === ms ? index - 1 : index
  }

  /** Index of the first range that ends after the instant. */
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
