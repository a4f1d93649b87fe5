import { newId } from './new-id.ts'

/**
 * Gives requests their `Idempotency-Key`, so that one whose answer was lost counts once where it is sent again: the same request, right
 * after, has the same key. Any other request has a key of its own.
 */
export class RepeatKeys {
  #unanswered: { readonly said: string; readonly key: string } | null = null

  /** The key of a request; `said`: all that it says. */
  keyFor(said: string): string {
    const key = this.#unanswered?.said === said ? this.#unanswered.key : newId()
    this.#unanswered = { said, key }
    return key
  }

  /** The service returned an outcome: an equal request after it is a new one. */
  settle(key: string): void {
    if (this.#unanswered?.key === key) this.#unanswered = null
  }
}
