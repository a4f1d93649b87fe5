/**
 * Offsets, by samples partition, up to which an ingest has forwarded state samples. Raw samples may be inserted, and
 * offsets committed, many seconds later.
 */
export class ForwardedOffsets {
  readonly #offsets: number[] = []

  /** Every state sample before `nextOffset` is forwarded. */
  advance(partition: number, nextOffset: number): void {
    this.#offsets[partition] = Math.max(nextOffset, this.#offsets[partition] ?? 0)
  }

  /** Returns 0 if nothing was forwarded since the start. */
  of(partition: number): number {
    return this.#offsets[partition] ?? 0
  }
}
