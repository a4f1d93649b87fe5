import { canonicalName, type Category } from '../../schema/sample.ts'
import { maxRememberedLength } from '../../schema/canonical-name.ts'
import { categoryByType } from './vocabulary.ts'

/**
 * One spelling of a type: `PartCount`, `part count` and `partcount` are `PART_COUNT`. Types that no vocabulary knows are written
 * in upper case, their words joined by `_`.
 */
export const canonicalType = remember(type => spellings.get(canonicalName(type)) ?? joinWords(type))

const spellings = new Map([...categoryByType.keys()].map(type => [canonicalName(type), type]))

/** A subtype in upper case, its words joined by `_`. */
export const canonicalSubtype = remember(joinWords)

/** Whether a type may be one that `canonicalType` has spelled. */
export function isCanonicalType(type: string): boolean {
  return (spellings.get(canonicalName(type)) ?? joined(type)) === type
}

/** Whether a subtype, or '' for none, may be one that `canonicalSubtype` has spelled. */
export function isCanonicalSubtype(subtype: string): boolean {
  return joined(subtype) === subtype
}

/** The category of a sample that names none, by its canonical type. */
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

/** Senders repeat a few hundred names for ever; one that sends ever new or very long ones must not fill the memory. */
function remember(compute: (text: string) => string): (text: string) => string {
  const limit = 10_000
  const known = new Map<string, string>()
  return text => {
    const found = known.get(text)
    if (found !== undefined) return found
    const computed = compute(text)
    if (text.length > maxRememberedLength) return computed
    if (known.size >= limit) known.clear()
    known.set(text, computed)
    return computed
  }
}
