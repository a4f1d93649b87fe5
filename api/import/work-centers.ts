import { groupBy } from '../../shared/collections/group-by.ts'
import type { Records } from '../../processors/records/records.ts'
import { shortened } from './cell-values.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { WorkCenter } from '../../schema/records/job-operation.ts'

/** Finds the machine or group of a work center's name; null: none; a text: the error of several. */
export type FindWorkCenter = (name: string) => Pick<WorkCenter, 'machineId' | 'machineGroupId'> | string | null

/** Finds a company's work centers by a machine's name, then by its erpMachineId, then by the name of a group. */
export function workCenterFinder(records: Records, companyId: string): FindWorkCenter {
  const byName = groupBy(records.machines(companyId), ({ name }) => name.trim())
  const groups = groupBy(records.list('machineGroup', companyId), ({ name }) => name.trim())
  return name => {
    const named = inServiceFirst(byName.get(name) ?? [])
    if (named.length > 1) return `Several machines are called '${shortened(name)}'`
    const machine = named[0] ?? records.machineByErpId(companyId, name)
    if (machine) return { machineId: machine.id, machineGroupId: null }
    const [group, ...others] = groups.get(name) ?? []
    if (others.length > 0) return `Several machine groups are called '${shortened(name)}'`
    return group ? { machineId: null, machineGroupId: group.id } : null
  }
}

/** A machine that was decommissioned leaves its name to its successor. */
function inServiceFirst(machines: readonly MachineRecord[]): readonly MachineRecord[] {
  const inService = machines.filter(({ decommissionedAt }) => decommissionedAt === null)
  return inService.length > 0 ? inService : machines.slice(-1)
}
