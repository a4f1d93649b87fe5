/** A part of a snapshot. */
interface Part {
  /** The last place that it shows. */
  readonly to: number
  /** How many changes of the machine it has in it. */
  readonly changes: number
}

/**
 * Parts of a snapshot that is sent in several flushes, because a machine may have thousands of values. Changes during
 * it at indexes that a later part sends are included in that part, and must not be sent again.
 */
export class ShownParts {
  readonly #parts: Part[] = []

  /** The first place that no part shows. */
  get next(): number {
    return (this.#parts.at(-1)?.to ?? -1) + 1
  }

  /** Changes that every part has in it. */
  get inAll(): number {
    return this.#parts[0]?.changes ?? 0
  }

  /** The next part was sent, up to an index, after this number of changes. Infinity: the last part. */
  add(to: number, changes: number): void {
    this.#parts.push({ to, changes })
  }

  /** Whether the change of that number was in the part that shows its place. */
  has(place: number, number: number): boolean {
    const part = this.#parts.find(({ to }) => place <= to)
    return part !== undefined && number <= part.changes
  }
}
