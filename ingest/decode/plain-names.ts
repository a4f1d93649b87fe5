import type { MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import type { PlainSample } from './plain-samples.ts'
import { maxTextLength, readNames, readValue, type SampleNames } from './sample.ts'

/** Names as they came; `names` null: they have a fault, or must be converted. */
interface Known extends Pick<PlainSample, 'type' | 'subtype' | 'category'> {
  readonly names: SampleNames | null
}

/** Senders repeat a few hundred names for ever; one that sends ever new ones must not fill the memory. */
const mostKnown = 10_000
/** Names of one key that are looked through; those beyond are read anew. */
const mostOfKey = 16
const byKey = new Map<string | undefined, Known[]>()
let count = 0

/** Reads a plain sample, whose names most often came before; null: it has a fault, or it must be converted. */
export function readPlainSample(raw: PlainSample, machineRef: MachineRef): Sample | null {
  const names = namesOf(raw)
  if (names === null || raw.value.length > maxTextLength) return null
  return {
    machineRef,
    atUs: raw.atUs,
    key: names.key,
    type: names.type,
    subtype: names.subtype,
    category: names.category,
    value: readValue(raw.value, names.category),
    nativeCode: '',
    nativeSeverity: '',
    qualifier: '',
    message: '',
    instanceId: null,
    sequence: null,
  }
}

function namesOf({ key, type, subtype, category }: PlainSample): SampleNames | null {
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
