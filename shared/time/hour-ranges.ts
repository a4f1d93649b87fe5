import { hourMs } from './units.ts'
import { TimeRanges } from './time-ranges.ts'

/** A set of UTC hours (ms of their starts). */
export class HourRanges extends TimeRanges {
  /** How many hours are in the set. */
  get hours(): number {
    return this.ranges.reduce((sum, { from, to }) => sum + (to - from) / hourMs, 0)
  }

  get last(): number | undefined {
    const range = this.ranges.at(-1)
    return range && range.to - hourMs
  }

  /** Adds every hour of [from, to); both are starts of hours. */
  override add(from: number, to: number = from + hourMs): void {
    super.add(from, to)
  }

  override remove(from: number, to: number = from + hourMs): void {
    super.remove(from, to)
  }
}
