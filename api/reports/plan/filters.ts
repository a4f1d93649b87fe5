import type { AlarmInstance } from '../../../schema/alarm-instance.ts'
import { absentId, alarmStates } from '../../../schema/groupings.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { ReportFilters } from '../request/request.ts'
import type { MachineRef } from '../../../schema/refs.ts'

/** Only time with one of the refs counts; 0 is time without one. null: all of it. */
export interface RefFilters {
  readonly machines: readonly MachineRef[] | null
  readonly shifts: readonly number[] | null
  readonly runs: readonly number[] | null
  readonly operators: readonly number[] | null
}

/** Values that count: those in `only` (null: all), but none in `not`. */
export interface Choice<T> {
  readonly only: readonly T[] | null
  readonly not: readonly T[]
}

/** Filters by refs of records. */
export function refFilters(filters: ReportFilters, view: CompanyView): RefFilters {
  return {
    machines: filteredMachines(filters, view),
    shifts: refs(filters.shift, id => [...view.shifts.values()].filter(shift => shift.id === id).map(({ ref }) => ref)),
    runs: refs(filters.jobOperation, id => view.runsOfOperation(id)),
    operators: refs(filters.operator, id =>
      [...view.operators.values()].filter(each => each.id === id).map(({ ref }) => ref),
    ),
  }
}

/** Whether one of the filters lets nothing through. */
export function keepsNothing(filters: readonly (readonly unknown[] | null)[]): boolean {
  return filters.some(only => only?.length === 0)
}

/** Refs of the ids; an id that nothing has keeps nothing. */
function refs(ids: readonly string[] | undefined, of: (id: string) => readonly number[]): readonly number[] | null {
  return ids ? [...new Set(ids.flatMap(id => (id === absentId ? [0] : of(id))))] : null
}

/** Refs of machines that filters and rejects let through. */
export function machineChoice(view: CompanyView, filter: ReportFilters, reject: ReportFilters): Choice<MachineRef> {
  return { only: filteredMachines(filter, view), not: machinesOf(view, reject, 'some') }
}

/** The states that are left. */
export function statesOf(filter: ReportFilters, reject: ReportFilters): readonly AlarmInstance['level'][] {
  return alarmStates.filter(state => (filter.state?.includes(state) ?? true) && !reject.state?.includes(state))
}

function filteredMachines(filters: ReportFilters, view: CompanyView): readonly MachineRef[] | null {
  return filters.machine || filters.machineGroup ? machinesOf(view, filters, 'every') : null
}

/** Refs of the machines that meet every condition, or some, of those on machines. */
function machinesOf(
  view: CompanyView,
  { machine, machineGroup }: ReportFilters,
  rule: 'every' | 'some',
): readonly MachineRef[] {
  const ids = machine && new Set(machine.map(id => id.toLowerCase()))
  const groups = machineGroup && new Set(machineGroup)
  const refsOfMachines = view.machines.filter(({ id, machineGroupIds }) => {
    const met = [
      ...(ids ? [ids.has(id)] : []),
      ...(groups ? [groupIds(machineGroupIds).some(group => groups.has(group))] : []),
    ]
    return rule === 'every' ? met.every(Boolean) : met.some(Boolean)
  })
  return refsOfMachines.map(({ ref }) => ref)
}

/** Ids of the machine's items in a grouping by machine group. */
function groupIds(machineGroupIds: readonly string[]): readonly string[] {
  return machineGroupIds.length > 0 ? machineGroupIds : [absentId]
}
