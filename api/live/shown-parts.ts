/** A part of a snapshot. */
interface Part {
  /** The last place that it shows. */
  readonly to: number
  /** How many changes of the machine it has in it. */
  readonly changes: number
}

/**
 * The parts of a snapshot that went out in several turns, as a machine may have thousands of values. Changes come meanwhile: those of
 * places that a later part shows are in it, and must not be told once more.
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

  /** The next part was shown, up to a place, when so many changes had come. Infinity: it was the last. */
  add(to: number, changes: number): void {
    this.#parts.push({ to, changes })
  }

  /** Whether the change of that number was in the part that shows its place. */
  has(place: number, number: number): boolean {
    const part = this.#parts.find(({ to }) => place <= to)
    return part !== undefined && number <= part.changes
  }
}
