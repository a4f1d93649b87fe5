import type { Change } from '../../../schema/records/record-kinds.ts'
import type { MachineGroupRecord } from '../../../schema/records/machine-group.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, type CompanyContext, changeTo, companyCommand, remove } from '../deciding/command.ts'
import { throwIfInvalid, rejectIfInUse, referringRecords, storedReferences } from '../deciding/command-rejection.ts'
import { rulesThatName } from './alert-references.ts'
import { findAllMissing } from './named-records.ts'

/** Creates or replaces a machine group. Returns the record. */
const putGroup: CommandSpec = companyCommand('machineGroup.put', (payload, context) => {
  const { company, records, nextRef } = context
  const groupId = canonicalId(payload.id)
  const before = records.get('machineGroup', company.id, groupId)
  const after: MachineGroupRecord = {
    id: groupId,
    ref: before?.ref ?? nextRef('machineGroup'),
    companyId: company.id,
    name: payload.name,
  }
  const members = payload.machineIds ? changeMembers(groupId, payload.machineIds, context) : []
  return { changes: [...changeTo('machineGroup', groupId, before, after), ...members], result: after }
})

/**
 * Deletes a machine group; 409 if it has machines, or a work center, a downtime reason or an alert rule refers to it.
 * Returns null.
 */
const deleteGroup: CommandSpec = companyCommand('machineGroup.delete', (payload, context) => {
  const { company, records } = context
  const groupId = canonicalId(payload.id)
  const decision = remove('machineGroup', groupId, context)
  const machines = records.machines(company.id).filter(machine => machine.machineGroupIds.includes(groupId))
  const reasons = records
    .list('downtimeReason', company.id)
    .filter(({ machineGroupIds = [] }) => machineGroupIds.includes(groupId))
  const operations = context.stored.get('uses', { kind: 'machineGroup', companyId: company.id, id: groupId })
  rejectIfInUse([
    referringRecords('machine', machines, ({ name }) => name),
    storedReferences('job operation', operations, ({ id }) => id),
    referringRecords('downtime reason', reasons, ({ name }) => name),
    rulesThatName('machineGroup', groupId, context),
  ])
  return decision
})

/** Returns the changes of machines after which the group has exactly these machines. */
function changeMembers(groupId: string, machineIds: readonly string[], context: CompanyContext): Change[] {
  const { company, records } = context
  const requested = new Set(machineIds.map(canonicalId))
  throwIfInvalid(findAllMissing('machineIds', 'machine', machineIds, context))
  const touched = new Set([...records.machinesOfGroup(company.id, groupId), ...requested])
  return [...touched].flatMap(machineId => {
    const machine = records.get('machine', company.id, machineId)
    if (!machine || machine.machineGroupIds.includes(groupId) === requested.has(machineId)) return []
    return changeTo('machine', machineId, machine, withGroup(machine, groupId, requested.has(machineId)))
  })
}

function withGroup(machine: MachineRecord, groupId: string, isMember: boolean): MachineRecord {
  const others = machine.machineGroupIds.filter(other => other !== groupId)
  return { ...machine, machineGroupIds: isMember ? [...others, groupId] : others }
}

export const machineGroupCommands = [putGroup, deleteGroup]
