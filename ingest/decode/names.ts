import { canonicalName, type Category, type Sample } from '../../schema/sample.ts'
import { maxCachedNameLength } from '../../schema/canonical-name.ts'
import { categoryByType } from './vocabulary.ts'

/** Names that every sample has, in their canonical spelling. */
export type DataItemNames = Pick<Sample, 'key' | 'type' | 'subtype' | 'category'>

/** All names of a sample, in their canonical spelling. */
export type CanonicalNames = DataItemNames & Pick<Sample, 'nativeCode' | 'nativeSeverity' | 'qualifier'>

/**
 * Returns the canonical spelling of a type: `PartCount`, `part count` and `partcount` become `PART_COUNT`. A type outside the vocabulary is
 * written in upper case, with `_` between its words.
 */
export const canonicalType = cached(type => spellings.get(canonicalName(type)) ?? joinWords(type))

const spellings = new Map([...categoryByType.keys()].map(type => [canonicalName(type), type]))

/** Returns a subtype in upper case, with `_` between its words. */
export const canonicalSubtype = cached(joinWords)

/** Whether `canonicalType` may have returned this type. */
export function isCanonicalType(type: string): boolean {
  return (spellings.get(canonicalName(type)) ?? joined(type)) === type
}

/** Whether `canonicalSubtype` may have returned this subtype; '' means none. */
export function isCanonicalSubtype(subtype: string): boolean {
  return joined(subtype) === subtype
}

/** Returns the category of a sample that states none, by its canonical type. */
export function defaultCategory(type: string): Category {
  return categoryByType.get(type) ?? 'EVENT'
}

function joinWords(text: string): string {
  return joined(text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2'))
}

function joined(text: string): string {
  return text
    .trim()
    .replace(/[\s_]+/g, '_')
    .toUpperCase()
}

/** Caches results: senders repeat a few hundred names; new or very long names without end must not fill the memory. */
function cached(compute: (text: string) => string): (text: string) => string {
  const maxEntries = 10_000
  const cache = new Map<string, string>()
  return text => {
    const found = cache.get(text)
    if (found !== undefined) return found
    const computed = compute(text)
    if (text.length > maxCachedNameLength) return computed
    if (cache.size >= maxEntries) cache.clear()
    cache.set(text, computed)
    return computed
  }
}
