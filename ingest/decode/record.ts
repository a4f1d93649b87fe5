import { decodeCompact, machinesOfCompact } from './compact.ts'
import type { PackedSamples } from './compact-columns.ts'
import { CompactSamples, isCompact, maxCompactSamples, plainText } from './compact-writer.ts'
import { decodeJson, recordBounds } from './json.ts'
import type { MachineInfo } from './machine.ts'
import { PlainSamples } from './plain-json.ts'
import { type Accepted, type AcceptedPlain, type DecodeContext, type Decoded, plainValidator } from './validate.ts'

/** Decodes a record of samples.v1: a sample, a batch `{machineId, samples}`, or compact samples. An invalid sample rejects no other sample. Throws only if the process lacks memory. */
export function decodeRecord(value: Buffer, context: DecodeContext): Decoded {
  if (isCompact(value)) return decodeCompact(value, context)
  return decodePlain(value, context) ?? decodeJson(value, context)
}

/** Decodes a record if all of its samples are plain and valid, as in nearly all records; otherwise null. */
function decodePlain(value: Buffer, context: DecodeContext): Decoded | null {
  const accepted: Accepted[] = []
  const arePlain = eachPlain(value, context, plain => {
    const { machine, names } = plain
    const { key, type, subtype, category } = names
    // Spreading `omittedFields` here took ten times longer than all other work on the sample.
    const sample = {
      machineRef: machine.ref,
      atUs: plain.sample.atUs,
      key,
      type,
      subtype,
      category,
      value: plainText(plain),
      nativeCode: '',
      nativeSeverity: '',
      qualifier: '',
      message: '',
      instanceId: null,
      sequence: null,
    }
    accepted.push({ index: accepted.length, sample, machine, companyRef: machine.companyRef })
    return true
  })
  return arePlain ? { accepted, rejected: [] } : null
}

/** Minimum size of a record that `packPlain` reads: the samples of a smaller one are decoded faster one by one. */
const minPackedBytes = 1_000

/** Converts a record of JSON to compact samples; null: it is small, has too many samples, or not all of them are plain and valid. */
export function packPlain(value: Buffer, context: DecodeContext): PackedSamples | null {
  if (value.length < minPackedBytes) return null
  const packed = new CompactSamples(null)
  const machines = new Set<MachineInfo>()
  let last: MachineInfo | null = null
  const arePlain = eachPlain(value, context, plain => {
    const { machine } = plain
    if (machine !== last) {
      packed.of(machine.ref)
      machines.add(machine)
      last = machine
    }
    packed.addPlain(plain)
    return packed.count <= maxCompactSamples
  })
  if (!arePlain) return null
  const bytes = packed.bytes()
  return { machines: [...machines], bytes, at: machinesOfCompact(bytes)?.at ?? 0 }
}

/** Visits the samples of a record; false: `visit` returned false, or a sample is not plain or not valid. */
function eachPlain(value: Buffer, context: DecodeContext, visit: (plain: AcceptedPlain) => boolean): boolean {
  const validate = plainValidator(context)
  const state = new PlainSamples(value, context.bounds ?? recordBounds, false).read(Infinity, sample => {
    const plain = validate(sample)
    return plain !== null && visit(plain)
  })
  return state === 'done'
}
