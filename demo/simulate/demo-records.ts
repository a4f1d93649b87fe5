import { dayMs, minuteMs } from '../../shared/time/units.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { JobOperationRecord, JobTimes } from '../../schema/records/job-operation.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { RejectBehavior } from '../../schema/records/part-adjustment-type.ts'
import type { ScheduleRecord, Shift } from '../../schema/records/schedule.ts'
import { inLanguage } from './language.ts'
import { loadKey } from './phase-events.ts'
import type { Plant } from './plant.ts'
import { profileGroups, type Profile } from './profile.ts'
import { uuidOf } from './random.ts'

/** Records of a plant without the fields that the registrar adds (refs, company, creation). */
export interface DemoRecords {
  readonly machineGroups: readonly { readonly id: string; readonly name: string }[]
  readonly schedules: readonly (Pick<ScheduleRecord, 'id' | 'name' | 'exceptions'> & {
    readonly versions: readonly { readonly effectiveFrom: null; readonly shifts: readonly Omit<Shift, 'ref'>[] }[]
  })[]
  readonly machines: readonly DemoMachine[]
  /** One per machine, in the order of the machines. */
  readonly jobOperations: readonly DemoJobOperation[]
  readonly operators: readonly { readonly id: string; readonly name: string }[]
  readonly downtimeReasons: readonly {
    readonly name: string
    readonly group: string
    readonly color: string
    readonly planned: boolean
  }[]
  readonly alertRules: readonly DemoAlertRule[]
  readonly partAdjustmentTypes: readonly {
    readonly name: string
    readonly color: string
    readonly reject_behavior: RejectBehavior
  }[]
}

type DemoAlertRule = Pick<AlertRuleRecord, 'id' | 'name' | 'severity' | 'condition' | 'forMs'> & {
  readonly when?: Partial<AlertRuleRecord['when']>
}

/** The rule whose incidents are in the history of the plant: a fault of some minutes. */
export const faultRule = {
  id: uuidOf(0, 16),
  name: 'Machine in fault',
  severity: 'critical',
  condition: { status: ['FAULT'] },
  forMs: 15 * minuteMs,
} as const satisfies DemoAlertRule

/** The rule of calls. */
export const callRule = {
  id: uuidOf(1, 16),
  name: 'Call from a machine',
  severity: 'warning',
  condition: { call: [] },
  forMs: 0,
} as const satisfies DemoAlertRule

const longStopRule: DemoAlertRule = {
  id: uuidOf(2, 16),
  name: 'Long uncategorized stop',
  severity: 'warning',
  condition: { stop: { reasons: ['uncategorized'] } },
  forMs: 30 * minuteMs,
  when: { scheduled: true },
}

/** English names of the downtime reasons and reject reasons of the simulated plant. */
export type DemoReason = 'Break' | 'Maintenance' | 'No material' | 'No orders' | 'Tool change' | 'Breakdown'
export type DemoAdjustmentType = 'Out of tolerance' | 'Surface'

export type DemoMachine = Pick<
  MachineRecord,
  | 'id'
  | 'name'
  | 'make'
  | 'model'
  | 'erpMachineId'
  | 'machineGroupIds'
  | 'scheduleId'
  | 'partCounter'
  | 'cutSignal'
  | 'staleAfterMs'
>

export interface DemoJobOperation
  extends
    Pick<JobOperationRecord, 'id' | 'jobName' | 'lotName' | 'operationName' | 'partName' | 'quantityRequired'>,
    JobTimes {
  /** Machine on which the operation is executed. */
  readonly machineId: string
}

/** Id of the connector of the plant. */
export const agentConnectorId = uuidOf(0, 15)
/**
 * Silence after which the machine with a connector is UNAVAILABLE: longer than the pauses in its generated history, which
 * has no heartbeats.
 */
const connectedStaleMs = dayMs

/** Returns the machine that an MTConnect agent has: the last one with one path and a part counter; null: none has them. */
export function agentMachineOf(machines: Plant['machines']): Profile | null {
  return machines.findLast(({ counts, executions }) => counts === 'counter' && executions.length === 1) ?? null
}

/** Returns the records of a simulated plant. Equal plants have equal ids. */
export function demoRecords({ machines, language }: Pick<Plant, 'machines' | 'language'>): DemoRecords {
  const inOwn = (english: string) => inLanguage(language, english)
  const named = <Item extends { readonly name: string }>(item: Item) => ({ ...item, name: inOwn(item.name) })
  const groupIds = new Map(profileGroups.map((name, index) => [inOwn(name), uuidOf(index, 10)]))
  const scheduleId = uuidOf(0, 11)
  const withAgent = agentMachineOf(machines)
  return {
    machineGroups: [...groupIds].map(([name, id]) => ({ id, name })),
    schedules: [
      {
        id: scheduleId,
        name: inOwn('Three shifts'),
        versions: [{ effectiveFrom: null, shifts: shifts.map(named) }],
        exceptions: [],
      },
    ],
    machines: machines.map(profile => ({
      ...machineOf(profile, groupIds.get(profile.group), scheduleId),
      staleAfterMs: profile === withAgent ? connectedStaleMs : null,
    })),
    jobOperations: machines.map(jobOperationOf),
    operators: ['Ada', 'Ben', 'Chiara', 'Dara', 'Emil', 'Femke'].map((name, index) => ({
      id: uuidOf(index, 12),
      name,
    })),
    downtimeReasons: reasons.map(({ name, group, color, planned }) => ({
      name: inOwn(name),
      group: inOwn(group),
      color,
      planned,
    })),
    partAdjustmentTypes: adjustmentTypes.map(named),
    alertRules: [faultRule, longStopRule, callRule].map(named),
  }
}

const reasons = [
  { name: 'Break', group: 'Organization', color: '#8a6bbf', planned: true },
  { name: 'No orders', group: 'Organization', color: '#a0a7b4', planned: true },
  { name: 'No material', group: 'Organization', color: '#d9822b', planned: false },
  { name: 'Maintenance', group: 'Technical', color: '#3f7fbf', planned: true },
  { name: 'Tool change', group: 'Technical', color: '#c9a227', planned: false },
  { name: 'Breakdown', group: 'Technical', color: '#c23b3b', planned: false },
] as const satisfies readonly { readonly name: DemoReason; readonly [key: string]: unknown }[]

const adjustmentTypes = [
  { name: 'Out of tolerance', color: '#c23b3b', reject_behavior: 'scrap' },
  { name: 'Surface', color: '#c9a227', reject_behavior: 'nonconform' },
] as const satisfies readonly { readonly name: DemoAdjustmentType; readonly [key: string]: unknown }[]

const everyDay = [1, 2, 3, 4, 5, 6, 7]
const shifts: readonly Omit<Shift, 'ref'>[] = [
  { id: uuidOf(1, 13), name: 'Early', optional: false, days: everyDay, start: '06:00', end: '14:00' },
  { id: uuidOf(2, 13), name: 'Late', optional: false, days: everyDay, start: '14:00', end: '22:00' },
  { id: uuidOf(3, 13), name: 'Night', optional: true, days: everyDay, start: '22:00', end: '06:00' },
]

function machineOf(
  profile: Profile,
  groupId: string | undefined,
  scheduleId: string,
): Omit<DemoMachine, 'staleAfterMs'> {
  const { id, name, make, model, counts, cuts } = profile
  return {
    id,
    name,
    make,
    model,
    erpMachineId: name,
    machineGroupIds: groupId === undefined ? [] : [groupId],
    scheduleId,
    partCounter: counts,
    cutSignal: cuts === 'load' ? { key: loadKey, above: 20 } : null,
  }
}

function jobOperationOf({ id, index, group, idealCycleMs, loadMs }: Profile): DemoJobOperation {
  const number = String(1001 + index)
  return {
    id: uuidOf(index, 14),
    machineId: id,
    jobName: `J${number}`,
    lotName: 'A',
    operationName: group,
    partName: `P-${number}`,
    quantityRequired: 500,
    expectedSetupTime: 1_800,
    idealPartTime: idealCycleMs,
    expectedPartTime: idealCycleMs + 2 * loadMs,
    partCountMultiplier: 1,
  }
}
