import type { NewRecord } from '../../log/log.ts'

const maxSamples = 500
/** In UTF-16 units; the log takes records of up to a megabyte. */
const maxLength = 200_000

/** A sample's JSON text (an object), and the machine it belongs to. */
export interface MachineSample {
  readonly machineId: string
  readonly json: string
}

/** Gateway batches for samples.v1: of one machine each, keyed by it, in the order given, none too large for the log. */
export function toBatches(samples: readonly MachineSample[]): readonly NewRecord[] {
  const byMachine = new Map<string, string[]>()
  for (const { machineId, json } of samples) {
    const own = byMachine.get(machineId)
    if (own === undefined) byMachine.set(machineId, [json])
    else own.push(json)
  }
  return [...byMachine].flatMap(([machineId, own]) => cut(own).map(part => batch(machineId, part)))
}

function batch(machineId: string, samples: readonly string[]): NewRecord {
  const value = `{"machineId":${JSON.stringify(machineId)},"samples":[${samples.join(',')}]}`
  return { key: machineId, value: Buffer.from(value) }
}

/** Parts in order, each within both limits; one text that is longer by itself is a part of its own. */
function cut(texts: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = []
  let part: string[] = []
  let length = 0
  for (const text of texts) {
    if (part.length === maxSamples || (part.length > 0 && length + text.length > maxLength)) {
      parts.push(part)
      part = []
      length = 0
    }
    part.push(text)
    length += text.length
  }
  return part.length > 0 ? [...parts, part] : parts
}
