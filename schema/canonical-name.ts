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
const maxCachedNameLength = 256

/** Returns a function that caches the results of `compute` for names: the same few names occur in most samples. */
export function cacheByName<Result extends string>(
  compute: (name: string) => Result,
  maxNames = maxCachedNames,
): (name: string) => Result {
  const cache = new Map<string, Result>()
  return name => {
    const known = cache.get(name)
    if (known !== undefined) return known
    const computed = compute(name)
    if (name.length > maxCachedNameLength) return computed
    if (cache.size >= maxNames) cache.clear()
    cache.set(name, computed)
    return computed
  }
}

/** Returns the `canonicalName` of a name from a cache. */
export const cachedCanonicalName = cacheByName(canonicalName)
