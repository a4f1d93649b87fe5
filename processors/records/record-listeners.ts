import type { Change } from '../../schema/records/record-kinds.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'

/** A change for listeners, except of job operations: an import may change too many of them at once. */
export type FollowedChange = Exclude<Change, { readonly kind: 'jobOperation' }>
/** Told after each such change, when the records hold it and nothing later. */
export type ChangeListener = (change: FollowedChange, offset: number) => void
/** Told after all changes of an entry. */
export type EntryListener = (entry: RecordEntry, offset: number) => void

/** Keeps who listens to changes and entries, and who waits for an offset. */
export class RecordListeners {
  readonly #changes = new Set<ChangeListener>()
  readonly #entries = new Set<EntryListener>()
  readonly #waiting = new Set<{ readonly offset: number; readonly resolve: () => void }>()

  /** Returns what ends the listening. */
  onChange(listener: ChangeListener): () => void {
    this.#changes.add(listener)
    return () => this.#changes.delete(listener)
  }

  /** Returns what ends the listening. */
  onEntry(listener: EntryListener): () => void {
    this.#entries.add(listener)
    return () => this.#entries.delete(listener)
  }

  /** Resolves when `reached` is called with this offset or a later one. */
  async waitFor(offset: number): Promise<void> {
    await new Promise<void>(resolve => {
      this.#waiting.add({ offset, resolve })
    })
  }

  changed(change: FollowedChange, offset: number): void {
    for (const listener of this.#changes) listener(change, offset)
  }

  applied(entry: RecordEntry, offset: number): void {
    for (const listener of this.#entries) listener(entry, offset)
  }

  reached(offset: number): void {
    for (const waiter of this.#waiting) {
      if (waiter.offset > offset) continue
      this.#waiting.delete(waiter)
      waiter.resolve()
    }
  }
}
