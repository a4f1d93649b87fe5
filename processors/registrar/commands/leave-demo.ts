import { canonicalId } from '../../records/record-ids.ts'
import type { Payload } from '../../../schema/commands/commands.ts'
import type { Change, RecordKinds } from '../../../schema/records/record-kinds.ts'
import { assignedMachines } from '../../../schema/records/connector-machines.ts'
import { isUnresolved } from '../../../schema/records/incident.ts'
import type { UseElsewhere } from '../../../schema/records/timed-records.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { changeTo, companyCommand, type CommandSpec, type CompanyContext } from '../deciding/command.ts'
import { rulesThatName } from './alert-references.ts'
import type { CompanyKind } from '../../records/record-lookups.ts'

type LeaveDemo = Payload<'demo.leave'>

/**
 * Decommissions the machines of a simulated plant. Deletes their runs, sign-ins, annotations and adjustments, and the
 * records of the simulated plant that no other machine uses, connectors included. Returns the numbers of deleted records and decommissioned
 * machines.
 */
const leaveDemo: CommandSpec = companyCommand('demo.leave', (payload, context) => {
  const machineIds = payload.machineIds.map(canonicalId)
  const demoMachines = new Set(machineIds)
  const stored = context.stored.get('machines', { companyId: context.company.id, machineIds })
  const { records: timed, operations, elsewhere } = stored
  const deletedEvents = [
    ...timed.operatorRuns.flatMap(run => changeTo('operatorRun', run.id, run, null)),
    ...timed.annotations.flatMap(annotation => changeTo('annotation', annotation.id, annotation, null)),
    ...timed.partAdjustments.flatMap(adjustment => changeTo('partAdjustment', adjustment.id, adjustment, null)),
    ...timed.jobRuns.flatMap(run => changeTo('jobRun', run.id, run, null)),
  ]
  const unusedOperations = operations.flatMap(operation => changeTo('jobOperation', operation.id, operation, null))
  const unused = [...unusedOperations, ...deleteUnused(payload, demoMachines, elsewhere, context)]
  const deleted = new Set(unused.map(({ kind, id }) => `${kind} ${id}`))
  const machines = context.records
    .machines(context.company.id)
    .filter(({ id }) => demoMachines.has(id))
    .flatMap(before => changeTo('machine', before.id, before, decommission(before, deleted, context.now)))
  const decommissioned = machines.length
  return {
    changes: [...deletedEvents, ...machines, ...unused],
    result: { decommissioned, deleted: deletedEvents.length + unused.length },
  }
})

/** Finds records of the simulated plant that only its machines use. */
function deleteUnused(
  payload: LeaveDemo,
  demoMachines: ReadonlySet<string>,
  elsewhere: UseElsewhere,
  context: CompanyContext,
): readonly Change[] {
  const { records, company } = context
  const others = records.machines(company.id).filter(({ id }) => !demoMachines.has(id))
  const groups = new Set(others.flatMap(({ machineGroupIds }) => machineGroupIds))
  const schedules = new Set(others.map(({ scheduleId }) => scheduleId))
  const canonicalIds = (ids: readonly string[]) => new Set(ids.map(canonicalId))
  const [groupIds, scheduleIds, operatorIds] = [
    canonicalIds(payload.machineGroupIds),
    canonicalIds(payload.scheduleIds),
    canonicalIds(payload.operatorIds),
  ]
  const isUnusedReason = ({ id, name }: RecordKinds['downtimeReason']) =>
    payload.downtimeReasons.includes(name) &&
    !elsewhere.reasonIds.has(id) &&
    rulesThatName('downtimeReason', id, context).count === 0
  const remainingReasons = records.list('downtimeReason', company.id).filter(reason => !isUnusedReason(reason))
  const groupsOfReasons = new Set(remainingReasons.flatMap(({ machineGroupIds = [] }) => machineGroupIds))
  return [
    ...deletions('operator', context, ({ id }) => operatorIds.has(id) && !elsewhere.operatorIds.has(id)),
    ...deletions('downtimeReason', context, isUnusedReason),
    ...deletions(
      'partAdjustmentType',
      context,
      it => payload.partAdjustmentTypes.includes(it.name) && !elsewhere.categoryIds.has(it.id),
    ),
    ...deletions(
      'machineGroup',
      context,
      ({ id }) =>
        groupIds.has(id) &&
        !groups.has(id) &&
        !groupsOfReasons.has(id) &&
        !elsewhere.machineGroupIds.has(id) &&
        rulesThatName('machineGroup', id, context).count === 0,
    ),
    // A rule to which a user has added steps is in use, also for real machines.
    ...deletions(
      'alertRule',
      context,
      ({ id, steps }) => payload.alertRuleIds?.includes(id) === true && steps.length === 0,
    ),
    ...deletions('connector', context, connector => {
      const assigned = [...assignedMachines(connector)]
      const isOfDemo = assigned.length > 0 && assigned.every(([, machineId]) => demoMachines.has(machineId))
      return isOfDemo && rulesThatName('connector', connector.id, context).count === 0
    }),
    ...deletions('schedule', context, ({ id }) => scheduleIds.has(id) && !schedules.has(id)),
  ]
}

function decommission(machine: MachineRecord, deleted: ReadonlySet<string>, now: string): MachineRecord {
  return {
    ...machine,
    decommissionedAt: machine.decommissionedAt ?? now,
    machineGroupIds: machine.machineGroupIds.filter(id => !deleted.has(`machineGroup ${id}`)),
    scheduleId: deleted.has(`schedule ${machine.scheduleId}`) ? null : machine.scheduleId,
  }
}

function deletions<K extends CompanyKind>(
  kind: K,
  { records, company }: CompanyContext,
  isDeleted: (record: RecordKinds[K]) => boolean,
): readonly Change[] {
  return records
    .list(kind, company.id)
    .filter(isDeleted)
    .flatMap(before => changeTo(kind, before.id, before, null))
}

/**
 * Stores incidents of the history of a simulated plant, in which no rule was active. Those of unknown machines, those that
 * exist, and unresolved ones except calls, which only users resolve, are left out. Returns the number of the others.
 */
const putIncidents: CommandSpec = companyCommand('demo.incidents', ({ incidents }, { company, records }) => {
  const changes = incidents.flatMap(incident => {
    const isOver = incident.state === 'resolved' && incident.endedAt !== null
    const isOpenCall = incident.kind === 'call' && isUnresolved(incident) && incident.endedAt === null
    const isKnown = records.get('machine', company.id, incident.subject.id) !== null
    if (!(isOver || isOpenCall) || !isKnown || records.get('incident', company.id, incident.id) !== null) return []
    return changeTo('incident', incident.id, null, { ...incident, companyId: company.id })
  })
  return { changes, result: { created: changes.length } }
})

export const demoCommands = [leaveDemo, putIncidents]
