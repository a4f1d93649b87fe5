import type { Change } from '../../schema/records/record-kinds.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'

/** A change that listeners receive. Changes of job operations are not among them: an import may contain too many. */
export type ListenerChange = Exclude<Change, { readonly kind: 'jobOperation' }>
/** Called after each such change, when the records contain this change, but no later one. */
export type ChangeListener = (change: ListenerChange, offset: number) => void
/** Called after all changes of an entry. */
export type EntryListener = (entry: RecordEntry, offset: number) => void

/** Listeners of changes and entries, and callers that wait for an offset. */
export class RecordListeners {
  readonly #changes = new Set<ChangeListener>()
  readonly #entries = new Set<EntryListener>()
  readonly #waiting = new Set<{ readonly offset: number; readonly resolve: () => void }>()

  /** Adds a listener; returns a function that removes it. */
  onChange(listener: ChangeListener): () => void {
    this.#changes.add(listener)
    return () => this.#changes.delete(listener)
  }

  /** Adds a listener; returns a function that removes it. */
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

  changed(change: ListenerChange, offset: number): void {
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
