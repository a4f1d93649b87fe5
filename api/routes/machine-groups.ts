import { exampleIds } from '../../schema/example-ids.ts'
import { machineGroupAnswer } from '../../schema/records/machine-group.ts'
import { anyOf } from '../auth/scopes.ts'
import { deleteRecord, getRecord, listRecords, putRecord, type Resource } from './record-routes.ts'

const machineGroups: Resource<'machineGroup', typeof machineGroupAnswer> = {
  kind: 'machineGroup',
  exampleId: exampleIds.machineGroup,
  path: '/machine-groups',
  read: anyOf('machine.read'),
  write: anyOf('machine'),
  output: machineGroupAnswer,
  present({ id, name, companyId }, { records }) {
    const members = records.machinesOfGroup(companyId, id)
    const machines = members.size === 0 ? [] : records.machines(companyId).filter(machine => members.has(machine.id))
    return { id, name, machineIds: machines.map(machine => machine.id) }
  },
}

export const machineGroupRoutes = [
  listRecords(machineGroups, { summary: 'All machine groups with their machines' }),
  getRecord(machineGroups, { summary: 'One machine group' }),
  putRecord(machineGroups, {
    summary: 'Create or replace a machine group',
    description: '`machineIds` replaces the machines of the group; a machine may be in several groups.',
  }),
  deleteRecord(machineGroups, {
    summary: 'Delete a machine group that has no machines',
    description: '409 if it contains machines, or work centers of job operations use it.',
  }),
]
