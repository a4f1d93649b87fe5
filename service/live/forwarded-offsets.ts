/**
 * The offsets up to which an ingest has forwarded what decides state, by partition of the samples: so far samples are on their way into the
 * reports. Raw samples may be inserted, and the offsets committed, many seconds later.
 */
export class ForwardedOffsets {
  readonly #offsets: number[] = []

  /** All before `nextOffset` is forwarded. */
  tell(partition: number, nextOffset: number): void {
    this.#offsets[partition] = Math.max(nextOffset, this.#offsets[partition] ?? 0)
  }

  /** The offset of a partition; 0 where nothing was forwarded since the start. */
  of(partition: number): number {
    return this.#offsets[partition] ?? 0
  }
}
