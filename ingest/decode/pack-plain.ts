import { CompactSamples, machinesOfCompact, mostOfCompact } from './compact-samples.ts'
import type { MachineInfo } from './machine.ts'
import { PlainSamples } from './plain-samples.ts'
import type { DecodeContext } from './judge.ts'
import { plainJudge, recordBounds } from './record.ts'
import type { PackedSamples } from './take-packed.ts'

/** A gateway's batch as JSON: smaller records have too few samples for this to be worth it. */
const leastBytes = 1_000

/** Packs the samples of a record of JSON by machine; null: it is small, or not all of them are plain and without a fault, or one
 * has very many. */
export function packPlain(value: Buffer, context: DecodeContext): readonly PackedSamples[] | null {
  if (value.length < leastBytes) return null
  const byMachine = new Map<string, { readonly machine: MachineInfo; readonly packed: CompactSamples }>()
  const judge = plainJudge(context)
  const state = new PlainSamples(value, context.bounds ?? recordBounds, false).read(Infinity, raw => {
    const sound = judge(raw)
    if (sound === null) return false
    const { machineId, machine } = sound
    let own = byMachine.get(machineId)
    if (own === undefined) byMachine.set(machineId, (own = { machine, packed: new CompactSamples(machineId) }))
    own.packed.addPlain(sound)
    return own.packed.count <= mostOfCompact
  })
  if (state !== 'done') return null
  return Array.from(byMachine.values(), ({ machine, packed }) => {
    const bytes = packed.bytes()
    return { machines: [machine], bytes, at: machinesOfCompact(bytes)?.at ?? 0 }
  })
}
