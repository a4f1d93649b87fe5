interface Head<T> {
  value: T
  readonly rest: Iterator<T>
}

/**
 * Merges sorted iterables lazily: each item is read when it is needed, so that the first few items of thousands of
 * iterables require only one read of each.
 */
export function* mergeSorted<T>(lists: Iterable<Iterable<T>>, compare: (a: T, b: T) => number): Generator<T> {
  const heads: Head<T>[] = []
  for (const list of lists) {
    const rest = list[Symbol.iterator]()
    const first = rest.next()
    if (first.done !== true) heads.push({ value: first.value, rest })
  }
  // A binary heap: no head is smaller than its parent, whose index is half its own.
  heads.sort((a, b) => compare(a.value, b.value))
  for (let top = heads[0]; top; top = heads[0]) {
    yield top.value
    const next = top.rest.next()
    if (next.done === true) {
      const last = heads.pop()
      if (last && last !== top) heads[0] = last
    } else top.value = next.value
    sink(heads, compare)
  }
}

/** Moves the first head down to its position in the heap. */
function sink<T>(heads: Head<T>[], compare: (a: T, b: T) => number): void {
  let index = 0
  for (;;) {
    const [head, left, right] = [heads[index], heads[2 * index + 1], heads[2 * index + 2]]
    if (!head || !left) return
    const isRight = right !== undefined && compare(right.value, left.value) < 0
    const child = isRight ? right : left
    if (compare(child.value, head.value) >= 0) return
    const below = 2 * index + (isRight ? 2 : 1)
    heads[index] = child
    heads[below] = head
    index = below
  }
}
