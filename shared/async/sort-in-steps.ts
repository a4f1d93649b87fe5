import type { Steps } from './steps.ts'

/** Number of items that are sorted or merged between two yields. */
const stepItems = 2_000

/**
 * Sorts like `toSorted`, in small steps: sorts runs of `stepItems`, then merges pairs of runs. `compare` must define a
 * total preorder; equal items keep their order.
 */
export function* sortInSteps<T extends object>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let from = 0; from < items.length; from += stepItems) {
    runs.push(items.slice(from, from + stepItems).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

/** Merges two sorted runs; of equal items, those of the left run come first. */
function* merge<T extends object>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
  const [last, next] = [left.at(-1), right[0]]
  // Items that were sorted before are not compared again.
  if (last === undefined || next === undefined || compare(last, next) <= 0) return left.concat(right)
  const merged: T[] = []
  let [l, r] = [0, 0]
  for (;;) {
    const [one, other] = [left[l], right[r]]
    if (one === undefined || other === undefined) break
    if (compare(one, other) <= 0) {
      merged.push(one)
      l++
    } else {
      merged.push(other)
      r++
    }
    if (merged.length % stepItems === 0) yield
  }
  return merged.concat(left.slice(l), right.slice(r))
}
