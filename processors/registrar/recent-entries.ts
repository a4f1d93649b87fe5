import { hourMs } from '../../shared/time/units.ts'
import { outcomeRetentionMs } from './keyed-outcomes.ts'

/** The part of records.v1 whose outcomes may still be requested; its start is known to an hour. */
export class RecentEntries {
  /** Starts of hours with entries, oldest first. */
  readonly #starts: { readonly offset: number; readonly appendedAtMs: number }[] = []
  #nextOffset = 0

  /** Offset from which an entry must be read to read all recent ones. */
  get firstOffset(): number {
    return this.#starts[0]?.offset ?? this.#nextOffset
  }

  /** Adds the next entry. `offset`: of its last chunk. */
  add(offset: number, appendedAtMs: number): void {
    const last = this.#starts.at(-1)
    if (!last || last.appendedAtMs + hourMs <= appendedAtMs)
      this.#starts.push({ offset: this.#nextOffset, appendedAtMs })
    this.#nextOffset = offset + 1
    while ((this.#starts[1]?.appendedAtMs ?? Infinity) + outcomeRetentionMs < appendedAtMs) this.#starts.shift()
  }

  /** Starts at this offset instead of the beginning of the log. */
  startAt(offset: number): void {
    this.#nextOffset = offset
  }
}
