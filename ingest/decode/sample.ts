import type { Category, Sample } from '../../schema/sample.ts'
import { coerced } from '../../schema/coerce.ts'
import { sample } from '../../schema/requests/ingest.ts'
import type { WireSample } from '../../schema/topics.ts'
import { jsonOf } from '../../schema/types.ts'
import { canonicalSubtype, canonicalType, defaultCategory, isCanonicalSubtype, isCanonicalType } from './names.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { type MachineRef, noMachine } from '../../schema/refs.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'

/** No text of a sample may be longer (in UTF-16 units): a record made from it must fit the log. */
export const maxTextLength = 16_384

/**
 * No name of a sample may be longer (in UTF-16 units): key, type, subtype, nativeCode, nativeSeverity and qualifier. Names are remembered
 * for as long as a machine is known; texts that vary belong into value and message.
 */
const maxNameLength = 256
/** The most that a type or subtype may have once it is spelled: a letter may have three in upper case. */
const maxSpelledLength = 3 * maxNameLength

/** A sample as it came: any JSON object. */
export type RawSample = { readonly [Field in keyof WireSample]?: unknown }

/**
 * Reads one sample of a JSON object as one of the machine's; texts name its faults, every one of them. Never throws. A number or a
 * boolean is taken for a text, and a text of digits for a number.
 */
export function readSample(raw: RawSample, machineRef: MachineRef): Sample | readonly string[] {
  return readTimed(raw, readTimestamp(raw.timestamp), machineRef)
}

/** Reads one sample as `readSample` does, of a time that is known, in UTC µs; null: it has none. */
export function readTimed(raw: RawSample, atUs: number | null, machineRef: MachineRef): Sample | readonly string[] {
  if (atUs !== null && isSound(raw)) return normalise(raw, machineRef, atUs)
  // Few samples need coercion, so only those that are not sound as they came get it.
  const given: RawSample = { ...raw, ...Object(coerced(raw, jsonOf(sample))) }
  if (atUs !== null && isSound(given)) return normalise(given, machineRef, atUs)
  const faults = rules.filter(rule => !rule.holds(given)).map(rule => rule.fault)
  return atUs === null ? ['timestamp must be an ISO 8601 date and time', ...faults] : faults
}

/** Names of a sample as they are kept. */
export type DataItemNames = Pick<Sample, 'key' | 'type' | 'subtype' | 'category'>

/** Reads names as they came; null: one has a fault, or must be converted. */
export function readNames(raw: Pick<RawSample, 'key' | 'type' | 'subtype' | 'category'>): DataItemNames | null {
  const whole: RawSample = { ...raw, value: '' }
  if (!isSound(whole) || longNamesOf(whole) !== '') return null
  const { key, type, subtype, category } = normalise(whole, noMachine, 0)
  return { key, type, subtype, category }
}

/** Names of a sample, as it is kept. */
export type KeptNames = DataItemNames & Pick<Sample, 'nativeCode' | 'nativeSeverity' | 'qualifier'>

/**
 * Whether names may be those of a sample that decoding has kept. Reading them once more would not tell: `x1y` is kept as `X1Y`, and that would
 * be kept as `X1_Y`. Spelling may also make a type longer than one that may come.
 */
export function areKeptNames({ key, type, subtype, nativeCode, nativeSeverity, qualifier }: KeptNames): boolean {
  if (!isName(key) || !isName(type) || !isCanonicalType(type) || !isCanonicalSubtype(subtype)) return false
  if (type.length > maxSpelledLength || subtype.length > maxSpelledLength) return false
  return ![key, nativeCode, nativeSeverity, qualifier].some(isLongName)
}

/** Whether what a sample says beside its names may be that of a sample that decoding has kept. */
export function isKept({ value, category, message }: Pick<Sample, 'value' | 'category' | 'message'>): boolean {
  return value.length <= maxTextLength && message.length <= maxTextLength && readValue(value, category) === value
}

/** Message about a sample's names that are longer than they may be; '' where none is. */
export function longNamesOf(raw: RawSample): string {
  const { key, type, subtype, nativeCode, nativeSeverity, qualifier } = raw
  if (![key, type, subtype, nativeCode, nativeSeverity, qualifier].some(isLongName)) return ''
  const long = Object.entries({ key, type, subtype, nativeCode, nativeSeverity, qualifier })
    .filter(([, name]) => isLongName(name))
    .map(([field]) => field)
  return `${long.join(', ')} must be at most ${maxNameLength} characters long`
}

function isLongName(name: unknown): boolean {
  return typeof name === 'string' && name.length > maxNameLength
}

/** Whether reading found faults. */
export function isFaulty(read: Sample | readonly string[]): read is readonly string[] {
  return Array.isArray(read)
}

interface Rule {
  readonly fault: string
  readonly holds: (raw: RawSample) => boolean
}

const optionalText = `must be a text of at most ${maxTextLength} characters`
const name = `must be a text of 1 to ${maxTextLength} characters`
const count = `must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}`

// Each reads its field by name, not from a list of names: this runs for every sample, and is twice as fast so.
const rules: readonly Rule[] = [
  { fault: `key ${name}`, holds: raw => isName(raw.key) },
  { fault: `type ${name}`, holds: raw => isName(raw.type) },
  {
    fault: `value must be a number or a text of at most ${maxTextLength} characters`,
    holds: raw => isValue(raw.value),
  },
  { fault: 'category must be SAMPLE, EVENT or CONDITION', holds: raw => readCategory(raw.category) !== 'wrong' },
  { fault: `subtype ${optionalText}`, holds: raw => isOptionalText(raw.subtype) },
  { fault: `nativeCode ${optionalText}`, holds: raw => isOptionalText(raw.nativeCode) },
  { fault: `nativeSeverity ${optionalText}`, holds: raw => isOptionalText(raw.nativeSeverity) },
  { fault: `qualifier ${optionalText}`, holds: raw => isOptionalText(raw.qualifier) },
  { fault: `message ${optionalText}`, holds: raw => isOptionalText(raw.message) },
  { fault: `instanceId ${count}`, holds: raw => isOptionalCount(raw.instanceId) },
  { fault: `sequence ${count}`, holds: raw => isOptionalCount(raw.sequence) },
  {
    fault: 'instanceId and sequence come only together',
    holds: raw => isMissing(raw.instanceId) === isMissing(raw.sequence),
  },
]

/** A sample that passes all rules: each field has its type. */
interface SoundSample {
  readonly key: string
  readonly type: string
  readonly value: string | number
  readonly category?: string | null
  readonly subtype?: string | null
  readonly nativeCode?: string | null
  readonly nativeSeverity?: string | null
  readonly qualifier?: string | null
  readonly message?: string | null
  readonly instanceId?: number | null
  readonly sequence?: number | null
}

function isSound(raw: RawSample): raw is RawSample & SoundSample {
  return rules.every(rule => rule.holds(raw))
}

function normalise(raw: SoundSample, machineRef: MachineRef, atUs: number): Sample {
  const type = canonicalType(raw.type)
  const stated = readCategory(raw.category)
  const category = isCategory(stated) ? stated : defaultCategory(type)
  return {
    machineRef,
    atUs,
    key: raw.key,
    type,
    subtype: raw.subtype ? canonicalSubtype(raw.subtype) : '',
    category,
    value: readValue(raw.value, category),
    nativeCode: raw.nativeCode ?? '',
    nativeSeverity: raw.nativeSeverity ?? '',
    qualifier: raw.qualifier ?? '',
    message: raw.message ?? '',
    instanceId: raw.instanceId ?? null,
    sequence: raw.sequence ?? null,
  }
}

/** The value as it is kept: words that mean something have one spelling, all else stays as sent. */
export function readValue(value: string | number, category: Category): string {
  if (typeof value === 'number') return String(value)
  if (category === 'CONDITION') return levels.get(value) ?? levels.get(value.toUpperCase()) ?? value
  return value.length === unavailableValue.length && value.toUpperCase() === unavailableValue ? unavailableValue : value
}

/** Levels of a condition, which have one spelling. */
const levels = new Map(['NORMAL', 'WARNING', 'FAULT', unavailableValue].map(level => [level, level]))

/** `missing` and `wrong` are no categories. */
function readCategory(category: unknown): Category | 'missing' | 'wrong' {
  if (isMissing(category)) return 'missing'
  if (typeof category !== 'string') return 'wrong'
  const word = isCategory(category) ? category : category.toUpperCase()
  return isCategory(word) ? word : 'wrong'
}

function isCategory(word: string): word is Category {
  return word === 'SAMPLE' || word === 'EVENT' || word === 'CONDITION'
}

/** A field that is null counts as left out. */
function isMissing(field: unknown): field is null | undefined {
  return field === undefined || field === null
}

function isName(field: unknown): boolean {
  return isText(field) && /[^\s_]/.test(field)
}

function isValue(field: unknown): boolean {
  return Number.isFinite(field) || isText(field)
}

function isOptionalText(field: unknown): boolean {
  return isMissing(field) || isText(field)
}

function isText(field: unknown): field is string {
  return typeof field === 'string' && field.length <= maxTextLength
}

function isOptionalCount(field: unknown): boolean {
  return isMissing(field) || (typeof field === 'number' && Number.isSafeInteger(field) && field >= 0)
}

function readTimestamp(field: unknown): number | null {
  return isText(field) ? parseInstantUs(field) : null
}
