/**
 * The offset, by partition of the samples topic, up to which this process's ingest has forwarded state samples. Raw
 * samples may be inserted, and offsets committed, many seconds later.
 */
export class ForwardedOffsets {
  readonly #offsets: number[] = []

  /** Records that all state samples before `nextOffset` were forwarded. */
  advance(partition: number, nextOffset: number): void {
    this.#offsets[partition] = Math.max(nextOffset, this.#offsets[partition] ?? 0)
  }

  /** Returns the offset of a partition; 0: no sample was forwarded since the start. */
  of(partition: number): number {
    return this.#offsets[partition] ?? 0
  }
}
