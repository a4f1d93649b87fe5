import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { Records } from '../../processors/records/records.ts'
import { namedKeys } from '../../processors/timeline/state-samples.ts'
import type { MachineInfo } from '../decode/validate.ts'
import type { MachineDirectory } from './ports.ts'
import { type MachineRef, noMachine } from '../../schema/refs.ts'

/** Looks up machines by id in the followed records; a result is cached until the record changes. */
export function createMachineDirectory(records: Records): MachineDirectory {
  const known = new Map<string, MachineInfo>()
  const byRef = new Map<MachineRef, MachineInfo>()
  records.onChange(({ kind, id }) => {
    if (kind === 'machine') {
      byRef.delete(known.get(id.toLowerCase())?.ref ?? noMachine)
      known.delete(id.toLowerCase())
    }
    if (kind === 'company') {
      byRef.clear()
      known.clear()
    }
  })
  const find = (id: string) => known.get(id) ?? lookUp(records, known, id)
  const lookUpRef = (ref: MachineRef) => {
    const record = records.machineByRef(ref)
    const machine = record === null ? undefined : find(record.id.toLowerCase())
    if (machine !== undefined) byRef.set(ref, machine)
    return machine
  }
  return {
    find,
    findByRef: ref => byRef.get(ref) ?? lookUpRef(ref),
    recordsOffset: () => records.offset,
    onKeyNamed: listener => records.onChange(change => namesKey(change) && listener()),
  }
}

function lookUp(records: Records, known: Map<string, MachineInfo>, id: string): MachineInfo | undefined {
  const machine = records.machine(id)
  const company = machine && records.company(machine.companyId)
  if (!machine || !company) return undefined
  const info: MachineInfo = {
    id: machine.id,
    ref: machine.ref,
    companyRef: company.ref,
    maxSampleAgeDays: company.settings.maxSampleAgeDays,
    namedKeys: namedKeys(machine),
    counter: counterOf(machine),
  }
  known.set(id, info)
  return info
}

function counterOf({ partCounter, partCountKey }: MachineRecord): MachineInfo['counter'] {
  if (partCounter !== 'counter' && partCounter !== 'increment') return null
  return { key: partCountKey === null ? null : cachedCanonicalName(partCountKey) }
}

/** Whether a change adds a key to a machine's settings. */
function namesKey({ kind, before, after }: Change): boolean {
  if (kind !== 'machine') return false
  const old = keysOf(before)
  return [...keysOf(after)].some(key => !old.has(key))
}

function keysOf(machine: MachineRecord | null): ReadonlySet<string> {
  return machine === null ? new Set() : namedKeys(machine)
}
