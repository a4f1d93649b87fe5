import { noMachine, type MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import { type MachineName, mostOfCompact } from './compact-samples.ts'
import { type CompactNames, readCompact } from './read-compact.ts'
import {
  type Accepted,
  type DecodeContext,
  type Decoded,
  isAccepted,
  judgePlaced,
  judgeUnplaced,
  type Place,
  type Rejection,
} from './judge.ts'
import type { MachineInfo } from './machine.ts'
import { areKeptNames, isKept } from './sample.ts'
import { wireSample } from './wire-sample.ts'

/**
 * Reads a compact record. Others may write the log, so nothing of it is believed: a sample that decoding would not have kept so is judged as
 * if it had come as JSON. Never throws; a record that is damaged, or no work of `CompactSamples`, is rejected whole.
 */
export function decodeCompact(value: Buffer, context: DecodeContext): Decoded {
  const accepted: Accepted[] = []
  const rejected: Rejection[] = []
  const sound = new Map<CompactNames, boolean>()
  let index = 0
  try {
    const { machines, each } = readCompact(value)
    const places = machines.map(name => placeOf(name, context))
    each((unplaced, place, names) => {
      if (index === mostOfCompact) throw new RangeError(`It has more than ${mostOfCompact} samples`)
      let haveSound = sound.get(names)
      if (haveSound === undefined) sound.set(names, (haveSound = areKeptNames(names)))
      const named = places[place] ?? noPlace
      const sample = { machineRef: named.machine?.ref ?? noMachine, ...unplaced }
      const verdict =
        haveSound && isKept(unplaced)
          ? judgePlaced(index, sample, named, context)
          : judgeUnplaced(unplaced, index, named, context)
      index++
      if (isAccepted(verdict)) accepted.push(verdict)
      else rejected.push({ ...verdict, value: rejectedValue(named, sample) })
    })
    return { accepted, rejected }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const message = `Damaged record: ${error.message}`
    return { accepted: [], rejected: [{ index: 0, reason: 'invalid_json', message, value: value.toString('base64') }] }
  }
}

const noPlace: Place = { machineId: '', machine: undefined }

/** Finds a machine that a compact record names. */
export function namedMachine(
  name: MachineName,
  { machine, machineByRef }: Pick<DecodeContext, 'machine' | 'machineByRef'>,
): MachineInfo | undefined {
  return typeof name === 'string' ? machine(name) : machineByRef?.(name)
}

/** Finds the machine of a compact record. */
function placeOf(name: MachineName, context: DecodeContext): Place {
  const machine = namedMachine(name, context)
  if (typeof name === 'string') return { machineId: name, machine }
  return machine
    ? { machineId: machine.id.toLowerCase(), machine }
    : { machineId: undefined, machine, unknownRef: name }
}

/** JSON text of a rejected sample. Where no machine has the ref, it tells that as `machineRef`: nobody knows the id. */
function rejectedValue({ machineId = '', unknownRef }: Place, sample: Sample): string {
  const { machineId: id, ...told } = wireSample(machineId, sample)
  const own: { readonly machineId: string } | { readonly machineRef: MachineRef } =
    unknownRef === undefined ? { machineId: id } : { machineRef: unknownRef }
  return JSON.stringify({ ...own, ...told })
}
