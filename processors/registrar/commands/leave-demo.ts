import { canonicalId } from '../../records/record-ids.ts'
import type { Payload } from '../../../schema/commands/commands.ts'
import type { Change, RecordKinds } from '../../../schema/records/record-kinds.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { changeTo, companyCommand, type CommandSpec, type CompanyContext } from '../deciding/command.ts'
import type { CompanyKind } from '../../records/records.ts'

type LeaveDemo = Payload<'demo.leave'>

/**
 * Decommissions the machines of a simulated plant. Deletes their runs, sign-ins, annotations and adjustments, and the
 * records of the simulated plant that no other machine uses. Returns the numbers of deleted records and decommissioned
 * machines.
 */
const leaveDemo: CommandSpec = companyCommand('demo.leave', (payload, context) => {
  const demoMachines = new Set(payload.machineIds.map(canonicalId))
  const deletedEvents = (['operatorRun', 'annotation', 'partAdjustment', 'jobRun'] as const).flatMap(kind =>
    deletions(kind, context, record => demoMachines.has(record.machineId)),
  )
  const unused = deleteUnused(payload, demoMachines, context)
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
  context: CompanyContext,
): readonly Change[] {
  const { records, company } = context
  const others = records.machines(company.id).filter(({ id }) => !demoMachines.has(id))
  const isElsewhere = ({ machineId }: { readonly machineId: string }) => !demoMachines.has(machineId)
  const runs = records.list('jobRun', company.id)
  const ranHere = new Set(runs.filter(run => !isElsewhere(run)).map(run => run.jobOperationId))
  const ranElsewhere = new Set(runs.filter(isElsewhere).map(run => run.jobOperationId))
  const operators = new Set(
    records
      .list('operatorRun', company.id)
      .filter(isElsewhere)
      .map(run => run.operatorId),
  )
  const reasons = new Set(
    records
      .list('annotation', company.id)
      .filter(isElsewhere)
      .map(each => each.reasonId),
  )
  const types = new Set(
    records
      .list('partAdjustment', company.id)
      .filter(isElsewhere)
      .map(each => each.categoryId),
  )
  const groups = new Set(others.flatMap(({ machineGroupIds }) => machineGroupIds))
  const schedules = new Set(others.map(({ scheduleId }) => scheduleId))
  const canonicalIds = (ids: readonly string[]) => new Set(ids.map(canonicalId))
  const [groupIds, scheduleIds, operatorIds] = [
    canonicalIds(payload.machineGroupIds),
    canonicalIds(payload.scheduleIds),
    canonicalIds(payload.operatorIds),
  ]
  const usedGroups = new Set(
    records
      .list('jobOperation', company.id)
      .filter(({ id }) => !ranHere.has(id) || ranElsewhere.has(id))
      .flatMap(({ workCenters }) => workCenters.map(({ machineGroupId }) => machineGroupId)),
  )
  return [
    ...deletions('jobOperation', context, ({ id }) => ranHere.has(id) && !ranElsewhere.has(id)),
    ...deletions('operator', context, ({ id }) => operatorIds.has(id) && !operators.has(id)),
    ...deletions('downtimeReason', context, it => payload.downtimeReasons.includes(it.name) && !reasons.has(it.id)),
    ...deletions(
      'partAdjustmentType',
      context,
      it => payload.partAdjustmentTypes.includes(it.name) && !types.has(it.id),
    ),
    ...deletions('machineGroup', context, ({ id }) => groupIds.has(id) && !groups.has(id) && !usedGroups.has(id)),
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

export const leaveDemoCommands = [leaveDemo]
