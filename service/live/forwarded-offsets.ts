/**
 * The offset, by partition of the samples topic, up to which this process's ingest has forwarded state samples. Raw
 * samples may be inserted, and offsets committed, many seconds later.
 */
export class ForwardedOffsets {
  readonly #offsets: number[] = []
  readonly #listeners = new Set<() => void>()

  /** Records that all state samples before `nextOffset` were forwarded. */
  advance(partition: number, nextOffset: number): void {
    this.#offsets[partition] = Math.max(nextOffset, this.#offsets[partition] ?? 0)
    for (const listener of this.#listeners) listener()
  }

  /** Calls the listener after each advance; returns the function that ends this. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns the offset of a partition; 0: no sample was forwarded since the start. */
  of(partition: number): number {
    return this.#offsets[partition] ?? 0
  }
}
