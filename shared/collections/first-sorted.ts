/** Returns the first `limit` of the items in the order of `compare`, without sorting all of them. */
export function firstSorted<T>(items: Iterable<T>, limit: number, compare: (a: T, b: T) => number): readonly T[] {
  let found: T[] = []
  let last: T | undefined
  const cut = () => (found = found.sort(compare).slice(0, limit))
  for (const item of items) {
    if (last !== undefined && compare(item, last) >= 0) continue
    found.push(item)
    if (found.length < 2 * limit) continue
    cut()
    last = found.at(-1)
  }
  return cut()
}
