import { maxDeliveryErrorChars } from '../../schema/records/alert-target.ts'
import { oneLine } from './one-line.ts'

/**
 * Outcome of one attempt to send a message. `gone`: the receiver wants no further messages; `rejected`: a repetition of
 * this message would be rejected too; `failed`: a later attempt may succeed, `retryAfterMs` from now at the earliest.
 * `remaining`: the addresses that lack the message, if the server accepted it for some addresses only.
 */
export type Outcome =
  | { readonly kind: 'sent'; readonly note: string | null }
  | { readonly kind: 'gone'; readonly error: string }
  | { readonly kind: 'rejected'; readonly error: string }
  | {
      readonly kind: 'failed'
      readonly error: string
      readonly retryAfterMs: number | null
      readonly remaining?: readonly string[]
    }

/** Returns the text of an error in one line, of limited length. */
export function errorText(error: unknown): string {
  return oneLine(error instanceof Error ? error.message || error.name : String(error), maxDeliveryErrorChars)
}
