import { newId } from './new-id.ts'

/** Keys of requests: a request that is repeated because its response was lost has the same `Idempotency-Key`. */
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
