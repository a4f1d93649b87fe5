import type { Change } from '../../schema/records/record-kinds.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'

/** A change that listeners receive. Changes of job operations are not among them: an import may contain too many. */
export type ListenerChange = Exclude<Change, { readonly kind: 'jobOperation' }>
/** Called after each such change, when the records contain this change, but no later one. */
export type ChangeListener = (change: ListenerChange, offset: number) => void
/** Called after all changes of an entry. */
export type EntryListener = (entry: RecordEntry, offset: number) => void

/** Listeners of changes and entries. */
export class RecordListeners {
  readonly #changes = new Set<ChangeListener>()
  readonly #entries = new Set<EntryListener>()

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

  changed(change: ListenerChange, offset: number): void {
    for (const listener of this.#changes) listener(change, offset)
  }

  applied(entry: RecordEntry, offset: number): void {
    for (const listener of this.#entries) listener(entry, offset)
  }
}
