/** Returns the items in parts of at most `length` items, in order. */
export function* inParts<T>(items: readonly T[], length: number): Generator<readonly T[]> {
  for (let first = 0; first < items.length; first += length) yield items.slice(first, first + length)
}
