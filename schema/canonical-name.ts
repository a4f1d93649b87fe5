import { canonicalName } from './sample.ts'

/** Senders choose the names, so the number of remembered names is bounded. */
const maxRemembered = 50_000

/** Names that are longer (UTF-16 units) are not remembered. Ingest takes none that is, but what was stored before may be. */
export const maxRememberedLength = 256

const canonicalNames = new Map<string, string>()

/** Returns the `canonicalName` of a text and remembers it: the same few names come again and again. */
export function nameOf(text: string): string {
  const known = canonicalNames.get(text)
  if (known !== undefined) return known
  const name = canonicalName(text)
  if (text.length > maxRememberedLength) return name
  if (canonicalNames.size >= maxRemembered) canonicalNames.clear()
  canonicalNames.set(text, name)
  return name
}
