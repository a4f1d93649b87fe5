import type { SampleNames } from '../../clickhouse/samples/sample-columns.ts'
import type { Category, Sample } from '../../schema/sample.ts'
import { coerceToSchema } from '../../schema/coerce.ts'
import { sample } from '../../schema/requests/ingest.ts'
import type { WireSample } from '../../schema/topics.ts'
import { jsonOf } from '../../schema/types.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { type MachineRef, noMachine } from '../../schema/refs.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'
import { canonicalSubtype, canonicalType, defaultCategory, isCanonicalSubtype, isCanonicalType } from './names.ts'

/** Maximum length of a string of a sample, in UTF-16 units: a record that contains the sample must fit the log. */
export const maxTextLength = 16_384

/**
 * Maximum length of a name, in UTF-16 units: key, type, subtype, nativeCode, nativeSeverity and qualifier. Names are cached while their
 * machine exists; strings that vary belong in value and message.
 */
export const maxNameLength = 256
/** Maximum length of a canonical type or subtype: one letter may become three in upper case. */
const maxCanonicalLength = 3 * maxNameLength

/** A sample as it was sent: any JSON object. */
export type RawSample = { readonly [Field in keyof WireSample]?: unknown }

/**
 * Parses a JSON object as a sample of a machine; returns all of its errors if it is invalid. Converts a number or a boolean to a string, and a
 * string of digits to a number, if the field needs that. Never throws.
 */
export function readSample(raw: RawSample, machineRef: MachineRef): Sample | readonly string[] {
  return readSampleAt(raw, isText(raw.timestamp) ? parseInstantUs(raw.timestamp) : null, machineRef)
}

/** Parses a sample as `readSample` does, with a known timestamp in UTC µs; null: the timestamp is invalid. */
export function readSampleAt(raw: RawSample, atUs: number | null, machineRef: MachineRef): Sample | readonly string[] {
  if (atUs !== null && isValid(raw)) return normalise(raw, machineRef, atUs)
  // Few samples need conversion, so only a sample that is invalid without it is converted.
  const converted: RawSample = { ...raw, ...Object(coerceToSchema(raw, jsonOf(sample))) }
  if (atUs !== null && isValid(converted)) return normalise(converted, machineRef, atUs)
  const errors = rules.filter(rule => !rule.holds(converted)).map(rule => rule.error)
  return atUs === null ? ['timestamp must be an ISO 8601 date and time', ...errors] : errors
}

/** Whether `readSample` has returned errors. */
export function isInvalid(read: Sample | readonly string[]): read is readonly string[] {
  return Array.isArray(read)
}

/** Returns names in their canonical spelling; null if one is invalid or must be converted to a string. */
export function readNames(raw: RawSample): SampleNames | null {
  const whole: RawSample = { ...raw, value: '' }
  if (!isValid(whole) || longNamesError(whole) !== null) return null
  const { key, type, subtype, category, nativeCode, nativeSeverity, qualifier } = normalise(whole, noMachine, 0)
  return { key, type, subtype, category, nativeCode, nativeSeverity, qualifier }
}

/**
 * Whether decoding may have returned these names. Decoding them again would not show that: `x1y` becomes `X1Y`, which would become `X1_Y`. A canonical
 * type may also be longer than the type that was sent.
 */
export function areCanonicalNames(names: SampleNames): boolean {
  const { key, type, subtype, nativeCode, nativeSeverity, qualifier } = names
  if (!isName(key) || !isName(type) || !isCanonicalType(type) || !isCanonicalSubtype(subtype)) return false
  if (type.length > maxCanonicalLength || subtype.length > maxCanonicalLength) return false
  return ![key, nativeCode, nativeSeverity, qualifier].some(isLongName)
}

/** Whether decoding may have returned this value and message. */
export function hasCanonicalValue({
  value,
  category,
  message,
}: Pick<Sample, 'value' | 'category' | 'message'>): boolean {
  return isText(value) && isText(message) && canonicalValue(value, category) === value
}

/** Returns the error of a sample with names that are too long; null if it has none. */
export function longNamesError(raw: RawSample): string | null {
  const { key, type, subtype, nativeCode, nativeSeverity, qualifier } = raw
  if (![key, type, subtype, nativeCode, nativeSeverity, qualifier].some(isLongName)) return null
  const long = Object.entries({ key, type, subtype, nativeCode, nativeSeverity, qualifier })
    .filter(([, name]) => isLongName(name))
    .map(([field]) => field)
  return `${long.join(', ')} must be at most ${maxNameLength} characters long`
}

function isLongName(name: unknown): boolean {
  return typeof name === 'string' && name.length > maxNameLength
}

interface Rule {
  readonly error: string
  readonly holds: (raw: RawSample) => boolean
}

const optionalText = `must be a text of at most ${maxTextLength} characters`
const name = `must be a text of 1 to ${maxTextLength} characters`
const count = `must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}`

// Each rule reads its field by name instead of from a list of names, which takes half the time: the rules run for every sample.
const rules: readonly Rule[] = [
  { error: `key ${name}`, holds: raw => isName(raw.key) },
  { error: `type ${name}`, holds: raw => isName(raw.type) },
  {
    error: `value must be a number or a text of at most ${maxTextLength} characters`,
    holds: raw => Number.isFinite(raw.value) || isText(raw.value),
  },
  { error: 'category must be SAMPLE, EVENT or CONDITION', holds: raw => readCategory(raw.category) !== null },
  { error: `subtype ${optionalText}`, holds: raw => isOptionalText(raw.subtype) },
  { error: `nativeCode ${optionalText}`, holds: raw => isOptionalText(raw.nativeCode) },
  { error: `nativeSeverity ${optionalText}`, holds: raw => isOptionalText(raw.nativeSeverity) },
  { error: `qualifier ${optionalText}`, holds: raw => isOptionalText(raw.qualifier) },
  { error: `message ${optionalText}`, holds: raw => isOptionalText(raw.message) },
  { error: `instanceId ${count}`, holds: raw => isOptionalCount(raw.instanceId) },
  { error: `sequence ${count}`, holds: raw => isOptionalCount(raw.sequence) },
  {
    error: 'instanceId and sequence come only together',
    holds: raw => isMissing(raw.instanceId) === isMissing(raw.sequence),
  },
]

/** A sample that satisfies all rules: each field has its type, and null counts as left out. */
type ValidSample = Pick<WireSample, RequiredField> &
  Nullable<Omit<WireSample, RequiredField | 'machineId' | 'timestamp' | 'category'>> & { readonly category?: unknown }
type RequiredField = 'key' | 'type' | 'value'
type Nullable<T> = { readonly [Field in keyof T]: T[Field] | null }

function isValid(raw: RawSample): raw is RawSample & ValidSample {
  return rules.every(rule => rule.holds(raw))
}

function normalise(raw: ValidSample, machineRef: MachineRef, atUs: number): Sample {
  const type = canonicalType(raw.type)
  const stated = readCategory(raw.category)
  const category = stated === null || stated === 'missing' ? defaultCategory(type) : stated
  return {
    machineRef,
    atUs,
    key: raw.key,
    type,
    subtype: raw.subtype ? canonicalSubtype(raw.subtype) : '',
    category,
    value: canonicalValue(raw.value, category),
    nativeCode: raw.nativeCode ?? '',
    nativeSeverity: raw.nativeSeverity ?? '',
    qualifier: raw.qualifier ?? '',
    message: raw.message ?? '',
    instanceId: raw.instanceId ?? null,
    sequence: raw.sequence ?? null,
  }
}

/** Returns a value as it is stored: `UNAVAILABLE` and levels of conditions in one spelling, any other value as it was sent. */
export function canonicalValue(value: string | number, category: Category): string {
  if (typeof value === 'number') return String(value)
  if (category === 'CONDITION') return levels.get(value) ?? levels.get(value.toUpperCase()) ?? value
  return value.length === unavailableValue.length && value.toUpperCase() === unavailableValue ? unavailableValue : value
}

/** Whether these bytes may spell `UNAVAILABLE`: a quick test, because hardly any value does. */
export function mayBeUnavailable(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === unavailableValue.length && (bytes[start] === upperU || bytes[start] === lowerU)
}

const [upperU, lowerU] = [0x55, 0x75]

/** Levels of a condition. */
const levels = new Map(['NORMAL', 'WARNING', 'FAULT', unavailableValue].map(level => [level, level]))

/** Returns null for an invalid category. */
function readCategory(category: unknown): Category | 'missing' | null {
  if (isMissing(category)) return 'missing'
  if (typeof category !== 'string') return null
  const word = isCategory(category) ? category : category.toUpperCase()
  return isCategory(word) ? word : null
}

function isCategory(word: string): word is Category {
  return word === 'SAMPLE' || word === 'EVENT' || word === 'CONDITION'
}

/** Whether a field is left out; null counts as left out. */
function isMissing(field: unknown): field is null | undefined {
  return field === undefined || field === null
}

function isName(field: unknown): boolean {
  return isText(field) && /[^\s_]/.test(field)
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
