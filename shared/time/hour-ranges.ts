import { hourMs } from './units.ts'
import { TimeRanges } from './time-ranges.ts'

/** A set of UTC hours (ms of their starts). */
export class HourRanges extends TimeRanges {
  get hours(): number {
    return this.lengthMs / hourMs
  }

  get last(): number | undefined {
    const range = this.ranges.at(-1)
    return range && range.to - hourMs
  }

  /** Adds the hours of [from, to); both are starts of hours. */
  override add(from: number, to: number = from + hourMs): void {
    super.add(from, to)
  }

  /** Adds many hours by their starts, in any order. */
  addHours(slots: Iterable<number>): void {
    this.addAll(Array.from(slots, slotMs => ({ from: slotMs, to: slotMs + hourMs })))
  }

  override remove(from: number, to: number = from + hourMs): void {
    super.remove(from, to)
  }
}
