/** Limit of the text of an error in a delivery. */
const maxErrorChars = 500

/**
 * Outcome of one attempt to send a message. `gone`: the receiver wants no further messages; `rejected`: a repetition of
 * this message would be rejected too; `failed`: a later attempt may succeed, `retryAfterMs` from now at the earliest.
 */
export type Outcome =
  | { readonly kind: 'sent'; readonly note: string | null }
  | { readonly kind: 'gone'; readonly error: string }
  | { readonly kind: 'rejected'; readonly error: string }
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfterMs: number | null }

/** Returns the text of an error in one line, of limited length. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return oneLine(text).slice(0, maxErrorChars)
}

/** Replaces line breaks, control characters and bidirectional controls by spaces. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}
