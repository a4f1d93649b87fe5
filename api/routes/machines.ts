import { exampleIds } from '../../schema/example-ids.ts'
import { bool, partial, uuid } from '../../schema/types.ts'
import {
  type MachineRecord,
  type MachineDetails,
  type MachineFaultAnswer,
  machineDetails,
  machineInput,
  machineList,
  type MachineListItem,
} from '../../schema/records/machine.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { LiveStatus } from '../../schema/topics.ts'
import { anyOf } from '../auth/scopes.ts'
import { route, commandBody } from '../http/route.ts'
import type { CommandsPort, LookUpPort, RecordsPort } from '../ports/ports.ts'
import { deleteRecord, lookUpRecord } from './record-routes.ts'
import { pathId, submit, withId } from '../commands/submit.ts'

interface MachineStates {
  /** The latest status of each machine by its ref; null: none yet. */
  readonly statuses: { get(machineRef: MachineRef): LiveStatus | null }
  /** Sample issues of a machine, by its ref. */
  readonly faults: { get(machineRef: MachineRef): readonly MachineFaultAnswer[] }
}

const listMachines = route({
  method: 'GET',
  path: '/machines',
  operationId: 'listMachines',
  summary: 'All machines with their live status, by name',
  description:
    'Decommissioned ones only with `includeDecommissioned=true`. `faults` lists sample issues of a machine, which were rejected or accepted with a ' +
    'loss: too many keys or raised conditions, invalid EXECUTION values.',
  scope: anyOf('machine.read', 'reporting'),
  query: partial({ includeDecommissioned: bool }),
  output: machineList,
  handle({ caller, query }, { records, statuses, faults }: RecordsPort & MachineStates) {
    const { company } = caller()
    const nowIso = new Date().toISOString()
    const machines = records.machines(company.id)
    const shown = query.includeDecommissioned ? machines : machines.filter(machine => isInService(machine, nowIso))
    return shown.map(machine => listItem(machine, { records, statuses, faults }))
  },
})

const getMachine = route({
  method: 'GET',
  path: '/machines/:id',
  operationId: 'getMachine',
  example: { id: exampleIds.machine },
  summary: 'One machine with all its settings',
  scope: anyOf('machine.read', 'reporting'),
  output: machineDetails,
  handle: async ({ caller, params }, deps: LookUpPort) =>
    details(await lookUpRecord(deps, caller(), 'machine', pathId(params))),
})

const putMachine = route({
  method: 'PUT',
  path: '/machines/:id',
  operationId: 'putMachine',
  example: { id: exampleIds.machine },
  summary: 'Create or replace a machine',
  description: 'The caller chooses the id, a UUID. Omitted fields get their defaults.',
  scope: anyOf('machine'),
  params: partial({ id: uuid }),
  body: commandBody(machineInput),
  output: machineDetails,
  async handle({ caller, params, body }, deps: CommandsPort & RecordsPort) {
    return details(await submit(deps, caller(), 'machine.put', withId(body, pathId(params))))
  },
})

function isInService({ decommissionedAt }: MachineRecord, nowIso: string): boolean {
  return decommissionedAt === null || decommissionedAt > nowIso
}

function listItem(machine: MachineRecord, { records, statuses, faults }: RecordsPort & MachineStates): MachineListItem {
  const { id, ref, companyId, name, make, model, erpMachineId, commissionedAt, decommissionedAt } = machine
  const groups = machine.machineGroupIds.flatMap(groupId => records.get('machineGroup', companyId, groupId) ?? [])
  return {
    id,
    name,
    machineRef: ref,
    make,
    model,
    machineGroups: groups.map(group => ({ id: group.id, name: group.name })),
    erpMachineId,
    status: statuses.get(ref)?.status ?? 'UNAVAILABLE',
    faults: faults.get(ref),
    commissionedAt,
    decommissionedAt,
  }
}

function details(machine: MachineRecord): MachineDetails {
  const { ref: machineRef, companyId: _, ...shown } = machine
  return { ...shown, machineRef }
}

export const machineRoutes = [
  listMachines,
  getMachine,
  putMachine,
  deleteRecord(
    { kind: 'machine', path: '/machines', exampleId: exampleIds.machine, write: anyOf('machine') },
    { summary: 'Decommission a machine; its history is retained' },
  ),
]
