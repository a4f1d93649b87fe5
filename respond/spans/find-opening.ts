import { firstEndingAfter, type Interval } from '../intervals/interval.ts'

/**
 * Returns when an incident of a hold interval opens, UTC ms: the first instant of the hold in the counted time, not before `activeFromMs`, at which at
 * least `forMs` of the hold were counted. null: it does not open. `counted` is in order and disjoint.
 */
export function findOpening(
  hold: Interval,
  counted: readonly Interval[],
  forMs: number,
  activeFromMs: number,
): number | null {
  let countedMs = 0
  for (let index = firstEndingAfter(counted, hold.startMs); ; index++) {
    const part = counted[index]
    if (!part || part.startMs >= hold.endMs) return null
    const startMs = Math.max(part.startMs, hold.startMs)
    const endMs = Math.min(part.endMs, hold.endMs)
    const openedMs = Math.max(startMs, startMs + forMs - countedMs, activeFromMs)
    if (openedMs < endMs) return openedMs
    countedMs += endMs - startMs
  }
}
