import type { PlainSample } from './plain-samples.ts'
import type { RawNames } from './sample-shapes.ts'
import { maxTextLength, readNames, readValue, type DataItemNames } from './sample.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'

/** Names as they came; `names` null: they have a fault, or must be converted. */
interface Known extends Pick<RawNames, 'type' | 'subtype' | 'category'> {
  readonly names: DataItemNames | null
}

/** Senders repeat a few hundred names for ever; one that sends ever new ones must not fill the memory. */
const mostKnown = 10_000
/** Names of one key that are looked through; those beyond are read anew. */
const mostOfKey = 16
const byKey = new Map<string | undefined, Known[]>()
let count = 0

/** The names of a plain sample as they are kept, most often the same ones as before; null: they have a fault, or must be converted. */
export function readPlainNames(raw: RawNames): DataItemNames | null {
  if (raw.read === undefined) raw.read = namesOf(raw)
  return raw.read
}

/** The value of a plain sample as it is kept; null: its bytes as they stand; undefined: it has a fault. */
export function readPlainValue(raw: PlainSample, { category }: DataItemNames): string | null | undefined {
  const { value, json, valueStart, valueEnd } = raw
  if (value !== null) return value.length > maxTextLength ? undefined : readValue(value, category)
  const length = valueEnd - valueStart
  if (length > maxTextLength) return undefined
  if (category !== 'CONDITION' && length !== unavailableValue.length) return null
  return readValue(json.toString('latin1', valueStart, valueEnd), category)
}

function namesOf({ key, type, subtype, category }: RawNames): DataItemNames | null {
  let known = byKey.get(key)
  if (known !== undefined)
    for (const each of known)
      if (each.type === type && each.subtype === subtype && each.category === category) return each.names
  const names = readNames({ key, type, subtype, category })
  if (count >= mostKnown) {
    byKey.clear()
    count = 0
    known = undefined
  }
  if (known !== undefined && known.length >= mostOfKey) return names
  if (known === undefined) byKey.set(key, (known = []))
  known.push({ type, subtype, category, names })
  count++
  return names
}
