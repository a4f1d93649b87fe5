import { dayMs, hourMs, minuteMs, secondMs } from '../../../shared/time/units.ts'

/** Lengths that steps may have: each goes into a day, or is whole days. */
const lengths = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map(seconds => seconds * secondMs),
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map(hours => hours * hourMs),
] as const

/** The shortest step that divides a range of `rangeMs` into no more than `points` of them. */
export function stepFor(rangeMs: number, points: number): number {
  const leastMs = rangeMs / points
  return lengths.find(ms => ms >= leastMs) ?? Math.ceil(leastMs / dayMs) * dayMs
}
