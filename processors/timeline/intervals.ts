interface Interval {
  readonly startMs: number
  readonly endMs: number
}

/** Returns the intervals that overlap [fromMs, toMs), from a sorted array without overlaps. */
export function overlappingDisjoint<T extends Interval>(
  sorted: readonly T[],
  fromMs: number,
  toMs: number,
): readonly T[] {
  const first = firstIndex(sorted.length, index => (sorted[index]?.endMs ?? Infinity) > fromMs)
  return selectOverlapping(sorted, first, fromMs, toMs)
}

const latestEnds = new WeakMap<readonly Interval[], readonly number[]>()

/** Returns the intervals that overlap [fromMs, toMs), from an array sorted by start, which may have overlaps. */
export function overlapping<T extends Interval>(sorted: readonly T[], fromMs: number, toMs: number): readonly T[] {
  if (sorted.length === 0) return sorted
  const ends = latestEndsOf(sorted)
  const first = firstIndex(sorted.length, index => (ends[index] ?? Infinity) > fromMs)
  return selectOverlapping(sorted, first, fromMs, toMs)
}

/**
 * Returns for each interval the latest end among it and all earlier ones. Cached by identity: the arrays are never
 * modified.
 */
function latestEndsOf(sorted: readonly Interval[]): readonly number[] {
  const known = latestEnds.get(sorted)
  if (known) return known
  let latest = -Infinity
  const ends = sorted.map(({ endMs }) => (latest = Math.max(latest, endMs)))
  latestEnds.set(sorted, ends)
  return ends
}

const emptyArray: readonly never[] = []

function selectOverlapping<T extends Interval>(
  sorted: readonly T[],
  first: number,
  fromMs: number,
  toMs: number,
): readonly T[] {
  let end = first
  while (end < sorted.length && (sorted[end]?.startMs ?? Infinity) < toMs) end++
  if (end === first) return emptyArray
  return sorted.slice(first, end).filter(({ startMs, endMs }) => endMs > fromMs && endMs > startMs)
}

/** Returns the events with `fromMs <= at < toMs` from an array sorted by instant. */
export function eventsWithin<T extends { readonly atMs: number }>(
  sorted: readonly T[],
  fromMs: number,
  toMs: number,
): readonly T[] {
  if (sorted.length === 0) return sorted
  const first = firstIndex(sorted.length, index => (sorted[index]?.atMs ?? Infinity) >= fromMs)
  let end = first
  while (end < sorted.length && (sorted[end]?.atMs ?? Infinity) < toMs) end++
  return end === first ? emptyArray : sorted.slice(first, end)
}

/**
 * Returns the lowest index in [0, length) for which `isMatch` is true; `length` if there is none. It must be true for
 * all later indexes (binary search).
 */
function firstIndex(length: number, isMatch: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isMatch(middle)) high = middle
    else low = middle + 1
  }
  return low
}
