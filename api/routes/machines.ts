import { bool, described, type Infer, list, partial, text, uuid } from '../../schema/types.ts'
import {
  type SampleIssueResponse,
  type MachineListItem,
  type MachineRecord,
  machineDetails,
  machineList,
} from '../../schema/records/machine.ts'
import type { MachineSamples } from '../../schema/records/machine-samples.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { LiveStatus } from '../../schema/topics.ts'
import { canonicalId } from '../../processors/records/record-ids.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { ClockPort, ConnectorsPort, RecordsPort } from '../ports/ports.ts'
import { type ConnectionOf, connectionsOf } from './machine-connections.ts'
import { recordRoutes, withoutCompany } from './record-routes.ts'
import { machineGroupResponse } from '../../schema/records/machine-group.ts'

interface MachineStates {
  /** The latest status of each machine by its ref; null: none yet. */
  readonly statuses: { get(machineRef: MachineRef): LiveStatus | null }
  /** Times and keys of the samples that this process has received or read. */
  readonly machineSamples: { read(machine: MachineRecord): MachineSamples }
  readonly sampleIssues: { get(machineRef: MachineRef): readonly SampleIssueResponse[] }
}

type MachineListDeps = RecordsPort & MachineStates & ConnectorsPort & ClockPort

const ids = list(text, { maxItems: 1_000 })
const machineListQuery = partial({
  includeDecommissioned: bool,
  machineId: described(ids, 'Only machines with one of these ids'),
  machineGroupId: described(ids, 'Only machines of at least one of these groups'),
})

const listMachines = route('GET /machines', 'listMachines', {
  summary: 'All machines with their live status, by name',
  description:
    'Decommissioned ones only with `includeDecommissioned=true`. `faults` lists sample issues of a machine, which were rejected or accepted with a ' +
    'loss: too many keys or raised conditions, invalid EXECUTION values. `connection` states why a machine gets no state from its connector. ' +
    '`lastSample` and `missing` state when it has sent its newest sample, and what its samples do not determine.',
  scope: anyOf('machine.read', 'reporting'),
  query: machineListQuery,
  output: machineList,
  handle({ caller, query }, deps: MachineListDeps) {
    const { company } = caller()
    const connectionOf = connectionsOf(company.id, deps)
    return deps.records
      .machines(company.id)
      .filter(createFilter(query))
      .map(machine => listItem(machine, deps, connectionOf))
  },
})

/** Returns a function that tells whether the query selects a machine. */
function createFilter({ includeDecommissioned, machineId, machineGroupId }: Infer<typeof machineListQuery>) {
  const nowIso = new Date().toISOString()
  const machines = machineId && new Set(machineId.map(canonicalId))
  const groups = machineGroupId && new Set(machineGroupId.map(canonicalId))
  return ({ id, machineGroupIds, decommissionedAt }: MachineRecord) =>
    (includeDecommissioned || decommissionedAt === null || decommissionedAt > nowIso) &&
    (machines?.has(id) ?? true) &&
    (groups === undefined || machineGroupIds.some(each => groups.has(each)))
}

function listItem(
  machine: MachineRecord,
  { records, statuses, sampleIssues, machineSamples }: MachineListDeps,
  connectionOf: ConnectionOf,
): MachineListItem {
  const status = statuses.get(machine.ref)
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
    status: status?.status ?? 'UNAVAILABLE',
    faults: sampleIssues.get(ref),
    connection: connectionOf(machine, status),
    ...machineSamples.read(machine),
    commissionedAt,
    decommissionedAt,
  }
}

export const machineRoutes = [
  listMachines,
  ...recordRoutes({
    kind: 'machine',
    path: '/machines',
    read: anyOf('machine.read', 'reporting'),
    write: anyOf('machine'),
    output: machineDetails,
    present: ({ ref: machineRef, ...machine }) => ({ ...withoutCompany(machine), machineRef }),
    get: { summary: 'One machine with all its settings' },
    put: {
      summary: 'Create or replace a machine',
      description: 'The caller chooses the id, a UUID. Omitted fields get their defaults.',
      params: partial({ id: uuid }),
    },
    delete: { summary: 'Decommission a machine; its history is retained' },
  }),
]

export const machineGroupRoutes = recordRoutes({
  kind: 'machineGroup',
  path: '/machine-groups',
  read: anyOf('machine.read'),
  write: anyOf('machine'),
  output: machineGroupResponse,
  present({ id, name, companyId }, { records }) {
    const members = records.machinesOfGroup(companyId, id)
    const machines = members.size === 0 ? [] : records.machines(companyId).filter(machine => members.has(machine.id))
    return { id, name, machineIds: machines.map(machine => machine.id) }
  },
  list: { summary: 'All machine groups with their machines' },
  get: { summary: 'One machine group' },
  put: {
    summary: 'Create or replace a machine group',
    description: '`machineIds` replaces the machines of the group; a machine may be in several groups.',
  },
  delete: {
    summary: 'Delete a machine group that has no machines',
    description: '409 if it contains machines, or work centers, downtime reasons or alert rules use it.',
  },
})
