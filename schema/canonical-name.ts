import { canonicalName } from './sample.ts'

/**
 * Limit of the number of cached names: senders choose names freely, so without a limit the cache could grow without
 * end.
 */
const maxCachedNames = 50_000

/**
 * Longer names (in UTF-16 units) are not cached. Ingest rejects longer names, but data of earlier versions may contain
 * them.
 */
export const maxCachedNameLength = 256

const cachedNames = new Map<string, string>()

/** Returns the `canonicalName` of a name from a cache: the same few names occur in most samples. */
export function cachedCanonicalName(text: string): string {
  const known = cachedNames.get(text)
  if (known !== undefined) return known
  const name = canonicalName(text)
  if (text.length > maxCachedNameLength) return name
  if (cachedNames.size >= maxCachedNames) cachedNames.clear()
  cachedNames.set(text, name)
  return name
}
