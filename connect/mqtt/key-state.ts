import { canonicalType, defaultCategory } from '../../ingest/decode/names.ts'
import { parseDecimal } from '../../processors/timeline/values.ts'
import type { Category } from '../../schema/sample.ts'
import type { WireSample } from '../../schema/topics.ts'
import { storedText } from '../positions/stored-text.ts'

/** State of a key on which its next samples depend; times are UTC µs. All states have the same fields, which makes them cheap. */
export interface KeyState {
  /** Time of the last observation at its source, and the time with which it was delivered. */
  readonly sourceUs: number
  readonly sentUs: number
  /** Newest delivered time. */
  readonly newestUs: number
  /** Content of the last observation. */
  readonly content: string
  /** Condition: content of each code at `sourceUs`. */
  readonly codes?: readonly (readonly [code: string, content: string])[] | undefined
  /** Time of UNAVAILABLE, or of the last value that was restated after it. */
  readonly restateUs?: number | undefined
  /** Whether the last observation was restated after UNAVAILABLE. */
  readonly isRestated?: boolean | undefined
  /** Whether the last message had QoS 0. */
  readonly isQos0: boolean
}

/** Bytes above which the digest of a text is stored: all codes of a condition must fit a chunk of the position. */
const maxTextBytes = 256

/** Returns the text by which a value is compared with the previous one of its key. */
export function contentOf({ value, nativeCode, nativeSeverity, qualifier, message }: WireSample): string {
  if (nativeCode === undefined && nativeSeverity === undefined && qualifier === undefined && message === undefined)
    return shortened(typeof value === 'number' ? `${value}` : `"${value}`)
  return shortened(JSON.stringify([value, nativeCode, nativeSeverity, qualifier, message]))
}

/** Returns the text by which the code of a condition is compared; "" without a code. */
export function codeOf({ nativeCode = '' }: WireSample): string {
  return shortened(nativeCode)
}

function shortened(text: string): string {
  return storedText(text, maxTextBytes)
}

/** Returns the category of a sample, which its type determines by default. */
export function categoryOf({ category, type }: Pick<WireSample, 'category' | 'type'>): Category {
  return category ?? defaultCategory(canonicalType(type))
}

/** Whether a value holds until the next one: a condition, or a word of an EVENT. */
export function holdsState(sample: WireSample): boolean {
  const category = categoryOf(sample)
  if (category === 'CONDITION') return true
  const { value, type } = sample
  const isWord = category === 'EVENT' && typeof value === 'string' && parseDecimal(value) === null
  return isWord && !momentary.has(canonicalType(type))
}

/** Types whose values state what happened at a moment. */
const momentary = new Set(['PART_COUNT', 'MESSAGE', 'ASSET_CHANGED', 'ASSET_REMOVED'])
