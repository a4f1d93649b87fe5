import { canonicalName } from './sample.ts'

/** Senders choose the names, so the number of remembered names is bounded. */
const maxRemembered = 50_000

const canonicalNames = new Map<string, string>()

/** Returns the `canonicalName` of a text and remembers it: the same few names come again and again. */
export function nameOf(text: string): string {
  const known = canonicalNames.get(text)
  if (known !== undefined) return known
  if (canonicalNames.size >= maxRemembered) canonicalNames.clear()
  const name = canonicalName(text)
  canonicalNames.set(text, name)
  return name
}
