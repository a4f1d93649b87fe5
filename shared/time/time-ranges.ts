export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** A set of instants (ms), kept as disjoint ranges in order: it costs what it has of ranges, however long they are. */
export class TimeRanges {
  #ranges: readonly TimeRange[] = []

  get ranges(): readonly TimeRange[] {
    return this.#ranges
  }

  get first(): number | undefined {
    return this.#ranges[0]?.from
  }

  has(ms: number): boolean {
    return this.at(ms) !== undefined
  }

  /** The range that holds the instant. */
  at(ms: number): TimeRange | undefined {
    const range = this.#ranges[this.#indexAfter(ms)]
    return range && range.from <= ms ? range : undefined
  }

  /** Whether any instant of [from, to) is in the set. */
  overlaps(from: number, to: number): boolean {
    const range = this.#ranges[this.#indexAfter(from)]
    return range !== undefined && range.from < to
  }

  /** Adds [from, to). */
  add(from: number, to: number): void {
    if (from >= to) return
    const apart = this.#ranges.filter(range => range.to < from || to < range.from)
    const touching = this.#ranges.filter(range => !(range.to < from || to < range.from))
    const merged = {
      from: Math.min(from, ...touching.map(range => range.from)),
      to: Math.max(to, ...touching.map(range => range.to)),
    }
    this.#ranges = [...apart, merged].sort((a, b) => a.from - b.from)
  }

  remove(from: number, to: number): void {
    if (!this.overlaps(from, to)) return
    this.#ranges = this.#ranges.flatMap(range => [
      ...(range.from < from ? [{ from: range.from, to: Math.min(range.to, from) }] : []),
      ...(range.to > to ? [{ from: Math.max(range.from, to), to: range.to }] : []),
    ])
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
