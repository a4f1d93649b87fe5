/** Half-open interval `[startMs, endMs)`, UTC ms. `endMs` Infinity: no known end. */
export interface Interval {
  readonly startMs: number
  readonly endMs: number
}

/** Returns the union of intervals, which may overlap, as disjoint intervals in order; touching ones are joined. */
export function joinIntervals(intervals: readonly Interval[]): readonly Interval[] {
  const joined: { startMs: number; endMs: number }[] = []
  const sorted = isInOrder(intervals) ? intervals : intervals.toSorted((a, b) => a.startMs - b.startMs)
  for (const { startMs, endMs } of sorted) {
    if (startMs >= endMs) continue
    const last = joined.at(-1)
    if (last && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs)
    else joined.push({ startMs, endMs })
  }
  return joined
}

function isInOrder(intervals: readonly Interval[]): boolean {
  let beforeMs = -Infinity
  for (const { startMs } of intervals) {
    if (startMs < beforeMs) return false
    beforeMs = startMs
  }
  return true
}

/** Returns the time in both lists. Each list is in order and disjoint. */
export function intersectIntervals(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
  const common: Interval[] = []
  for (let i = 0, j = 0; ;) {
    const [left, right] = [a[i], b[j]]
    if (left === undefined || right === undefined) return common
    const startMs = Math.max(left.startMs, right.startMs)
    const endMs = Math.min(left.endMs, right.endMs)
    if (startMs < endMs) common.push({ startMs, endMs })
    if (left.endMs < right.endMs) i++
    else j++
  }
}

/** Returns the time outside of the intervals, which are in order and disjoint. */
export function complementOf(intervals: readonly Interval[]): readonly Interval[] {
  const starts = [-Infinity, ...intervals.map(({ endMs }) => endMs)]
  const ends = [...intervals.map(({ startMs }) => startMs), Infinity]
  return starts.flatMap((startMs, i) => {
    const endMs = ends[i] ?? Infinity
    return startMs < endMs ? [{ startMs, endMs }] : []
  })
}

/** Returns the index of the first interval that ends after an instant. The intervals are in order and disjoint. */
export function firstEndingAfter(intervals: readonly Interval[], atMs: number): number {
  let [low, high] = [0, intervals.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((intervals[middle]?.endMs ?? Infinity) > atMs) high = middle
    else low = middle + 1
  }
  return low
}
