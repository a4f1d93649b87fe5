import { hourMs } from '../../schema/document.ts'

interface Range {
  readonly from: number
  readonly to: number
}

/** A set of UTC hours (ms of their starts), kept as disjoint ranges, so that ten years cost as little as one hour. */
export class HourRanges {
  #ranges: readonly Range[] = []

  /** How many hours are in the set. */
  get hours(): number {
    return this.#ranges.reduce((sum, { from, to }) => sum + (to - from) / hourMs, 0)
  }

  get first(): number | undefined {
    return this.#ranges[0]?.from
  }

  get last(): number | undefined {
    const range = this.#ranges.at(-1)
    return range && range.to - hourMs
  }

  has(slotMs: number): boolean {
    return this.#ranges.some(({ from, to }) => from <= slotMs && slotMs < to)
  }

  /** Whether any hour of [from, to) is in the set. */
  overlaps(from: number, to: number): boolean {
    return this.#ranges.some(range => range.from < to && from < range.to)
  }

  /** Adds every hour of [from, to); both are starts of hours. */
  add(from: number, to: number = from + hourMs): void {
    if (from >= to) return
    const apart = this.#ranges.filter(range => range.to < from || to < range.from)
    const touching = this.#ranges.filter(range => !(range.to < from || to < range.from))
    const merged = {
      from: Math.min(from, ...touching.map(range => range.from)),
      to: Math.max(to, ...touching.map(range => range.to)),
    }
    this.#ranges = [...apart, merged].sort((a, b) => a.from - b.from)
  }

  remove(from: number, to: number = from + hourMs): void {
    if (!this.overlaps(from, to)) return
    this.#ranges = this.#ranges.flatMap(range => [
      ...(range.from < from ? [{ from: range.from, to: Math.min(range.to, from) }] : []),
      ...(range.to > to ? [{ from: Math.max(range.from, to), to: range.to }] : []),
    ])
  }
}
