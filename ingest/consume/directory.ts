import type { Change } from '../../schema/records/record-kinds.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { Records } from '../../processors/records/records.ts'
import { namedKeys } from '../../processors/timeline/deciding.ts'
import type { MachineInfo } from '../decode/machine.ts'
import type { MachineDirectory } from './ports.ts'

/** Machines by id, as the followed records tell them; what was looked up stays ready until its record changes. */
export function createMachineDirectory(records: Records): MachineDirectory {
  const known = new Map<string, MachineInfo>()
  records.onChange(change => {
    if (change.kind === 'machine') known.delete(change.id.toLowerCase())
    if (change.kind === 'company') known.clear()
  })
  return {
    find: id => known.get(id) ?? lookUp(records, known, id),
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
  }
  known.set(id, info)
  return info
}

/** Whether a machine's settings name a key that they did not name before. */
function namesKey({ kind, before, after }: Change): boolean {
  if (kind !== 'machine') return false
  const old = keysOf(before)
  return [...keysOf(after)].some(key => !old.has(key))
}

function keysOf(machine: MachineRecord | null): ReadonlySet<string> {
  return machine === null ? new Set() : namedKeys(machine)
}
