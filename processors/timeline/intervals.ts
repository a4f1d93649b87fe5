interface Interval {
  readonly startMs: number
  readonly endMs: number
}

/** The intervals of a sorted list without overlaps that have time in [fromMs, toMs). */
export function overlappingDisjoint<T extends Interval>(
  sorted: readonly T[],
  fromMs: number,
  toMs: number,
): readonly T[] {
  const first = firstIndex(sorted.length, index => (sorted[index]?.endMs ?? Infinity) > fromMs)
  return takeStarting(sorted, first, fromMs, toMs)
}

const latestEnds = new WeakMap<readonly Interval[], readonly number[]>()

/** The intervals of a list sorted by start, overlaps allowed, that have time in [fromMs, toMs). */
export function overlapping<T extends Interval>(sorted: readonly T[], fromMs: number, toMs: number): readonly T[] {
  if (sorted.length === 0) return sorted
  const ends = latestEndsOf(sorted)
  const first = firstIndex(sorted.length, index => (ends[index] ?? Infinity) > fromMs)
  return takeStarting(sorted, first, fromMs, toMs)
}

/** For each interval the latest end of those up to it; lists are never changed, so this is remembered. */
function latestEndsOf(sorted: readonly Interval[]): readonly number[] {
  const known = latestEnds.get(sorted)
  if (known) return known
  let latest = -Infinity
  const ends = sorted.map(({ endMs }) => (latest = Math.max(latest, endMs)))
  latestEnds.set(sorted, ends)
  return ends
}

const nothing: readonly never[] = []

function takeStarting<T extends Interval>(
  sorted: readonly T[],
  first: number,
  fromMs: number,
  toMs: number,
): readonly T[] {
  let end = first
  while (end < sorted.length && (sorted[end]?.startMs ?? Infinity) < toMs) end++
  if (end === first) return nothing
  return sorted.slice(first, end).filter(({ startMs, endMs }) => endMs > fromMs && endMs > startMs)
}

/** The events of a list sorted by instant with `fromMs <= at < toMs`. */
export function eventsWithin<T extends { readonly atMs: number }>(
  sorted: readonly T[],
  fromMs: number,
  toMs: number,
): readonly T[] {
  if (sorted.length === 0) return sorted
  const first = firstIndex(sorted.length, index => (sorted[index]?.atMs ?? Infinity) >= fromMs)
  let end = first
  while (end < sorted.length && (sorted[end]?.atMs ?? Infinity) < toMs) end++
  return end === first ? nothing : sorted.slice(first, end)
}

/** Lowest index in [0, length) for which `holds`, which holds for all after it too; `length` if there is none. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
