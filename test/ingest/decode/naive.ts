/**
 * A second decoder of samples for tests: one sample after the other, without caches, bytes or shared code, from the rules in the documentation.
 */
import type { MachineInfo } from '../../../ingest/decode/validate.ts'
import type { Category, Sample } from '../../../schema/sample.ts'

/** A decoded sample, or why it is rejected. */
type NaiveResult = Sample | string

/** Decodes the samples of a batch. Strings of the vocabulary are those of `spellings`. */
export function decodeNaively(
  batch: { readonly machineId: string; readonly samples: readonly Readonly<Record<string, unknown>>[] },
  machines: readonly MachineInfo[],
  appendedAtMs: number,
): readonly NaiveResult[] {
  return batch.samples.map(raw => {
    const names = ['key', 'type', 'subtype', 'nativeCode', 'nativeSeverity', 'qualifier']
    if (names.some(name => lengthOf(raw[name]) > 256)) return 'name_too_long'
    const text = (name: string) => asText(raw[name])
    const [key, type, value, message] = [text('key'), text('type'), text('value'), text('message')]
    const category = asText(raw['category'])?.toUpperCase() ?? null
    const [instanceId, sequence] = [asCount(raw['instanceId']), asCount(raw['sequence'])]
    const atUs = timeOf(String(raw['timestamp']))
    const isValid =
      atUs !== null &&
      !isBlank(key) &&
      !isBlank(type) &&
      typeof value === 'string' &&
      [value, message].every(each => lengthOf(each) <= 16_384) &&
      asText(raw['category']) !== undefined &&
      (category === null || ['SAMPLE', 'EVENT', 'CONDITION'].includes(category)) &&
      [...names, 'message'].every(name => text(name) !== undefined) &&
      instanceId !== undefined &&
      sequence !== undefined &&
      (instanceId === null) === (sequence === null)
    if (!isValid) return 'invalid_sample'
    if (atUs > (appendedAtMs + 86_400_000) * 1000) return 'future_timestamp'
    const id = (asText(raw['machineId']) ?? batch.machineId).toLowerCase()
    const machine = machines.find(each => each.id === id)
    if (machine === undefined) return /^[0-9a-f-]{36}$/.test(id) ? 'unknown_machine' : 'invalid_sample'
    if (atUs < (appendedAtMs - machine.maxSampleAgeDays * 86_400_000) * 1000) return 'past_timestamp'
    const spelledType = typeOf(type ?? '')
    const own = category === null ? (categoryOf[spelledType] ?? 'EVENT') : asCategory(category)
    return {
      machineRef: machine.ref,
      atUs,
      key: key ?? '',
      type: spelledType,
      subtype: wordsOf(text('subtype') ?? ''),
      category: own,
      value: valueOf(value, own),
      nativeCode: text('nativeCode') ?? '',
      nativeSeverity: text('nativeSeverity') ?? '',
      qualifier: text('qualifier') ?? '',
      message: message ?? '',
      instanceId,
      sequence,
    }
  })
}

/** Some types of the vocabulary, and their categories. */
const categoryOf: Readonly<Record<string, Category>> = {
  PART_COUNT: 'EVENT',
  POSITION: 'SAMPLE',
  SYSTEM: 'CONDITION',
}

function lengthOf(field: unknown): number {
  return typeof field === 'string' ? field.length : 0
}

/** null: left out; undefined: it cannot be a string. */
function asText(field: unknown): string | null | undefined {
  if (field == null) return null
  if (typeof field !== 'string' && typeof field !== 'number' && typeof field !== 'boolean') return undefined
  const text = String(field)
  return text.length <= 16_384 ? text : undefined
}

function isBlank(text: string | null | undefined): boolean {
  return text == null || Array.from(text).every(each => each === '_' || each.trim() === '')
}

/** null: left out; undefined: it cannot be a count. */
function asCount(field: unknown): number | null | undefined {
  if (field == null) return null
  if (typeof field !== 'number' && typeof field !== 'string') return undefined
  return /^\d+$/.test(String(field)) && Number.isSafeInteger(Number(field)) ? Number(field) : undefined
}

function timeOf(text: string): number | null {
  const parts = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}):(\d{2})(?:\.(\d+))?Z$/.exec(text)
  if (parts === null) return null
  const [, minute = '', second = '', fraction = ''] = parts
  const minuteMs = Date.parse(`${minute}:00Z`)
  if (Number.isNaN(minuteMs) || new Date(minuteMs).toISOString().slice(0, 16) !== minute) return null
  if (second === '60') return minuteMs * 1000 + 59_999_000
  return Number(second) < 60
    ? (minuteMs + Number(second) * 1000) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
    : null
}

function asCategory(word: string): Category {
  return word === 'SAMPLE' ? 'SAMPLE' : word === 'EVENT' ? 'EVENT' : 'CONDITION'
}

function typeOf(text: string): string {
  const plain = (word: string) => word.replaceAll(/[\s_]/g, '').toUpperCase()
  return Object.keys(categoryOf).find(known => plain(known) === plain(text)) ?? wordsOf(text)
}

/** Writes words in upper case with `_` between them. */
function wordsOf(text: string): string {
  const spaced = Array.from(text).map((each, i, all) => {
    const isStart = /\p{Lu}/u.test(each) && /[\p{Ll}\d]/u.test(all[i - 1] ?? '')
    return isStart ? `_${each}` : each
  })
  return spaced
    .join('')
    .trim()
    .replaceAll(/[\s_]+/g, '_')
    .toUpperCase()
}

function valueOf(value: string, category: Category): string {
  const words = category === 'CONDITION' ? ['NORMAL', 'WARNING', 'FAULT', 'UNAVAILABLE'] : ['UNAVAILABLE']
  return words.find(word => word === value.toUpperCase()) ?? value
}
