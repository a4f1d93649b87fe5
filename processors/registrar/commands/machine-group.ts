import { fault } from '../../../schema/errors.ts'
import type { Change, JobOperationRecord, MachineGroupRecord, MachineRecord } from '../../../schema/records.ts'
import { canonicalId } from '../../records/records.ts'
import { type CommandSpec, type CompanyContext, changeTo, companyCommand, remove } from '../command.ts'
import { refuseFaults } from '../refusal.ts'
import { id, list, name, nullable, payloadOf, uuid } from '../shapes.ts'

interface PutGroup {
  readonly id: string
  readonly name: string
  /** Left out: the group keeps its machines. */
  readonly machineIds?: readonly string[] | null
}

/** Creates or replaces a machine group. Answers the record. */
const putGroup: CommandSpec = companyCommand(
  'machineGroup.put',
  payloadOf<PutGroup>({ id, name, machineIds: nullable(list(uuid, 100_000)) }, ['id', 'name']),
  (payload, context) => {
    const { company, records, nextRef } = context
    const groupId = canonicalId(payload.id)
    const before = records.get('machineGroup', company.id, groupId)
    const after: MachineGroupRecord = {
      id: groupId,
      ref: before?.ref ?? nextRef('machineGroup'),
      companyId: company.id,
      name: payload.name,
    }
    const members = payload.machineIds ? membership(groupId, payload.machineIds, context) : []
    return { changes: [...changeTo('machineGroup', groupId, before, after), ...members], result: after }
  },
)

/** Deletes a machine group; its machines and the work centers of job operations let go of it. Answers null. */
const deleteGroup: CommandSpec = companyCommand(
  'machineGroup.delete',
  payloadOf<{ readonly id: string }>({ id }, ['id']),
  (payload, context) => {
    const groupId = canonicalId(payload.id)
    const { changes, result } = remove('machineGroup', groupId, context)
    return { changes: [...membership(groupId, [], context), ...workCenters(groupId, context), ...changes], result }
  },
)

/** Changes of the machines that join or leave the group, so that it has exactly these. */
function membership(groupId: string, machineIds: readonly string[], { company, records }: CompanyContext): Change[] {
  const wanted = new Set(machineIds.map(canonicalId))
  refuseFaults(
    machineIds.flatMap((machineId, index) =>
      records.get('machine', company.id, machineId)
        ? []
        : [fault(`machineIds[${index}]`, 'InvalidDataItem', `Machine '${machineId}' does not exist`)],
    ),
  )
  const touched = new Set([...records.machinesOfGroup(company.id, groupId), ...wanted])
  return [...touched].flatMap(machineId => {
    const machine = records.get('machine', company.id, machineId)
    if (!machine || machine.machineGroupIds.includes(groupId) === wanted.has(machineId)) return []
    return changeTo('machine', machineId, machine, withGroup(machine, groupId, wanted.has(machineId)))
  })
}

function withGroup(machine: MachineRecord, groupId: string, isMember: boolean): MachineRecord {
  const others = machine.machineGroupIds.filter(other => other !== groupId)
  return { ...machine, machineGroupIds: isMember ? [...others, groupId] : others }
}

function workCenters(groupId: string, { company, records }: CompanyContext): Change[] {
  return records.list('jobOperation', company.id).flatMap(operation => {
    const kept = operation.workCenters.filter(({ machineGroupId }) => machineGroupId !== groupId)
    const after: JobOperationRecord = { ...operation, workCenters: kept }
    return changeTo('jobOperation', operation.id, operation, after)
  })
}

export const machineGroupCommands = [putGroup, deleteGroup]
