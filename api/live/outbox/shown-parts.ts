/** A sent part of a snapshot. */
interface Part {
  /** The last index in it. */
  readonly to: number
  /** Number of the machine's changes that it includes. */
  readonly changes: number
}

/**
 * Parts of a snapshot that is sent in several flushes, because a machine may have thousands of values. Changes during
 * it at indexes that a later part sends are included in that part, and must not be sent again.
 */
export class ShownParts {
  readonly #parts: Part[] = []

  /** The first index that has not been sent. */
  get next(): number {
    return (this.#parts.at(-1)?.to ?? -1) + 1
  }

  /** Number of changes that every part includes. */
  get inAll(): number {
    return this.#parts[0]?.changes ?? 0
  }

  /** The next part was sent, up to an index, after this number of changes. Infinity: the last part. */
  add(to: number, changes: number): void {
    this.#parts.push({ to, changes })
  }

  /** Whether the change of that number is included in the part with its index. */
  has(index: number, number: number): boolean {
    const part = this.#parts.find(({ to }) => index <= to)
    return part !== undefined && number <= part.changes
  }
}
