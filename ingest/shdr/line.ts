import type { DataItem } from './devices.ts'

/** One observation of an SHDR line, as the adapter wrote it. */
export interface ShdrObservation {
  readonly timestamp: string
  readonly key: string
  readonly value: string
  readonly nativeCode?: string
  readonly nativeSeverity?: string
  readonly qualifier?: string
  readonly message?: string
}

/** Meanings of keys; undefined: the device has no such key. */
export type Items = Pick<ReadonlyMap<string, DataItem>, 'get'>

/**
 * Parses one SHDR line: `timestamp|key|value`, more `key|value` pairs, a condition
 * `timestamp|key|level|nativeCode|severity|qualifier|text` or a message `timestamp|key|nativeCode|text`. The device's
 * items determine the form; for unknown keys, the shape of the line does. null: the line has none of these forms (a
 * protocol command, no timestamp). https://docs.mtconnect.org (SHDR, adapter agent protocol)
 */
export function parseLine(line: string, items: Items): readonly ShdrObservation[] | null {
  const [first = '', ...fields] = line.split('|').map(field => field.trim())
  // A duration may follow the timestamp: `…Z@12.5`.
  const timestamp = first.split('@', 1)[0] ?? ''
  if (!/^\d/.test(timestamp) || fields.length < 2 || fields[0]?.startsWith('@')) return null
  return parseFields(timestamp, fields, items)
}

function parseFields(timestamp: string, fields: readonly string[], items: Items): readonly ShdrObservation[] {
  const observations: ShdrObservation[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const rest = fields.slice(i)
    const key = rest[0] ?? ''
    const item = items.get(key)
    if (isCondition(item, rest)) return [...observations, condition(timestamp, rest)]
    if (item?.type === 'MESSAGE' && rest.length > 2) return [...observations, message(timestamp, rest)]
    if (key !== '') observations.push({ timestamp, key, value: rest[1] ?? '' })
  }
  return observations
}

/** A condition is the last observation of its line, so that all further fields belong to it. */
function isCondition(item: DataItem | undefined, fields: readonly string[]): boolean {
  if (item !== undefined) return item.category === 'CONDITION'
  return fields.length === 6 && isLevel(fields[1] ?? '')
}

/** Whether a word is a condition's level. */
export function isLevel(word: string): boolean {
  return /^(?:normal|warning|fault|unavailable)$/i.test(word)
}

function condition(timestamp: string, [key = '', value = '', ...details]: readonly string[]): ShdrObservation {
  const [nativeCode = '', nativeSeverity = '', qualifier = '', ...text] = details
  return { timestamp, key, value, nativeCode, nativeSeverity, qualifier, message: text.join('|') }
}

function message(timestamp: string, [key = '', nativeCode = '', ...text]: readonly string[]): ShdrObservation {
  return { timestamp, key, value: text.join('|'), nativeCode }
}
