import { groupBy } from '../../shared/collections/group-by.ts'
import type { Records } from '../../processors/records/records.ts'
import { shortened } from './cell.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { WorkCenter } from '../../schema/records/job-operation.ts'

/** Who a work center of a file is; a text where nobody or more than one is. */
export type FindWorkCenter = (name: string) => Pick<WorkCenter, 'machineId' | 'machineGroupId'> | string

/** Finds a company's work centers by a machine's name, else by its erpMachineId, else by the name of a group. */
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
    if (group) return { machineId: null, machineGroupId: group.id }
    return `'${shortened(name)}' is no machine, erpMachineId or machine group`
  }
}

/** A machine that was decommissioned leaves its name to its successor. */
function inServiceFirst(machines: readonly MachineRecord[]): readonly MachineRecord[] {
  const inService = machines.filter(({ decommissionedAt }) => decommissionedAt === null)
  return inService.length > 0 ? inService : machines.slice(-1)
}
