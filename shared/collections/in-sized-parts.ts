export interface PartLimits<T> {
  /** Number of items. */
  readonly length: number
  /** Total of `sizeOf`. */
  readonly size: number
  readonly sizeOf: (item: T) => number
}

/** Returns the items in parts within limits, in order; an item that exceeds the size is a part of its own. */
export function* inSizedParts<T>(
  items: readonly T[],
  { length, size, sizeOf }: PartLimits<T>,
): Generator<readonly T[]> {
  let part: T[] = []
  let total = 0
  for (const item of items) {
    const more = sizeOf(item)
    if (part.length > 0 && (part.length >= length || total + more > size)) {
      yield part
      part = []
      total = 0
    }
    part.push(item)
    total += more
  }
  if (part.length > 0) yield part
}
