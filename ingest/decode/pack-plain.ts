import { CompactSamples, mostOfCompact } from './compact-samples.ts'
import { machinesOfCompact } from './read-compact.ts'
import type { DecodeContext } from './judge.ts'
import type { MachineInfo } from './machine.ts'
import { PlainSamples } from './plain-samples.ts'
import { plainJudge, recordBounds } from './record.ts'
import type { PackedSamples } from './take-packed.ts'

/** A gateway's batch as JSON: smaller records have too few samples for this to be worth it. */
const leastBytes = 1_000

/** Packs the samples of a record of JSON; null: it is small, or not all of them are plain and without a fault, or they are very many. */
export function packPlain(value: Buffer, context: DecodeContext): PackedSamples | null {
  if (value.length < leastBytes) return null
  const packed = new CompactSamples(null)
  const machines = new Set<MachineInfo>()
  let last: MachineInfo | null = null
  const judge = plainJudge(context)
  const state = new PlainSamples(value, context.bounds ?? recordBounds, false).read(Infinity, raw => {
    const sound = judge(raw)
    if (sound === null) return false
    const { machine } = sound
    if (machine !== last) {
      packed.of(machine.ref)
      machines.add(machine)
      last = machine
    }
    packed.addPlain(sound)
    return packed.count <= mostOfCompact
  })
  if (state !== 'done') return null
  const bytes = packed.bytes()
  return { machines: [...machines], bytes, at: machinesOfCompact(bytes)?.at ?? 0 }
}
