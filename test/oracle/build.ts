import { defaultCompanySettings } from '../../schema/records/company.ts'
import { defaultMachineSettings } from '../../schema/records/machine.ts'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { DowntimeReasonRecord } from '../../schema/records/downtime-reason.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { MachineGroupRecord } from '../../schema/records/machine-group.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRecord } from '../../schema/records/operator.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeRecord } from '../../schema/records/part-adjustment-type.ts'
import type { ScheduleRecord, Shift } from '../../schema/records/schedule.ts'
import type { WireSample } from '../../schema/topics.ts'
import type { OraclePlant } from './types.ts'
import { asMachineRef } from '../../schema/refs.ts'

const companyId = 'company'

/** A plant with the machine `m1` in UTC whose clock is at the end of 2026; `changes` replaces properties. */
export function aPlant(changes: Partial<OraclePlant> = {}): OraclePlant {
  return {
    company: defaultCompanySettings,
    machines: [aMachine()],
    schedules: [],
    operations: [anOperation()],
    runs: [],
    operators: [],
    operatorRuns: [],
    annotations: [],
    reasons: [],
    adjustments: [],
    adjustmentTypes: [],
    groups: [],
    samples: [],
    nowMs: Date.parse('2026-12-31T00:00:00Z'),
    ...changes,
  }
}

/** Machine `m1`, commissioned in 2020. */
export function aMachine(changes: Partial<MachineRecord> = {}): MachineRecord {
  return {
    ...defaultMachineSettings,
    id: 'm1',
    ref: asMachineRef(1),
    companyId,
    name: 'Mill 1',
    createdAt: '2026-01-01T00:00:00.000Z',
    commissionedAt: '2020-01-01T00:00:00.000Z',
    ...changes,
  }
}

/** A sample of machine `m1`. */
export function aSample(timestamp: string, key: string, type: string, value: string | number): WireSample {
  return { machineId: 'm1', timestamp, key, type, value }
}

/** An EXECUTION sample of key `exec`. */
export function execution(timestamp: string, value: string, key = 'exec'): WireSample {
  return aSample(timestamp, key, 'EXECUTION', value)
}

/** A SYSTEM condition of key `sys`. */
export function condition(timestamp: string, value: string, nativeCode = '', message = ''): WireSample {
  return { ...aSample(timestamp, 'sys', 'SYSTEM', value), nativeCode, message }
}

/** Group `g1`. */
export function aMachineGroup(changes: Partial<MachineGroupRecord> = {}): MachineGroupRecord {
  return { id: 'g1', ref: 1, companyId, name: 'Mills', ...changes }
}

/** A shift on every day of the week. */
export function aShift(id: string, start: string, end: string, changes: Partial<Shift> = {}): Shift {
  return { id, ref: 1, name: id, optional: false, start, end, days: [1, 2, 3, 4, 5, 6, 7], ...changes }
}

/** Schedule `s1` with one version that is always in force. */
export function aSchedule(shifts: readonly Shift[], changes: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return { id: 's1', companyId, name: 'Weeks', versions: [{ effectiveFrom: null, shifts }], exceptions: [], ...changes }
}

/** Operation `op1`, without times. */
export function anOperation(changes: Partial<JobOperationRecord> = {}): JobOperationRecord {
  return {
    id: 'op1',
    ref: 1,
    companyId,
    jobName: 'Job',
    lotName: '',
    operationName: '',
    partName: '',
    description: null,
    dueAt: null,
    partValue: null,
    quantityRequired: null,
    expectedSetupTime: null,
    idealPartTime: null,
    expectedPartTime: null,
    partCountMultiplier: null,
    workCenters: [],
    thresholds: {},
    archivedAt: null,
    ...changes,
  }
}

/** A run of `op1` on `m1`. */
export function aRun(
  id: string,
  startAt: string,
  endAt: string | null,
  changes: Partial<JobRunRecord> = {},
): JobRunRecord {
  return {
    id,
    ref: 1,
    companyId,
    machineId: 'm1',
    jobOperationId: 'op1',
    startInSetup: false,
    startAt,
    endAt,
    productionAt: null,
    startSequence: 1,
    ...changes,
  }
}

/** An operator with its id as its name. */
export function anOperator(id: string): OperatorRecord {
  return { id, ref: 1, companyId, name: id }
}

/** A sign-in on `m1`. */
export function aSignIn(operatorId: string, startAt: string, endAt: string | null): OperatorRunRecord {
  return { id: `${operatorId}@${startAt}`, companyId, machineId: 'm1', operatorId, startAt, endAt }
}

/** A downtime reason. */
export function aReason(id: number, name: string, planned = false): DowntimeReasonRecord {
  return { id, companyId, name, color: '#123456', planned, hidden: false }
}

/** An annotation on `m1`. */
export function anAnnotation(reasonId: number, startAt: string, endAt: string | null): AnnotationRecord {
  return { id: `${reasonId}@${startAt}`, companyId, machineId: 'm1', reasonId, startAt, endAt, note: '' }
}

/** An adjustment on `m1` without a type. */
export function anAdjustment(
  adjustmentTime: string,
  count: number,
  scrapCount: number,
  changes: Partial<PartAdjustmentRecord> = {},
): PartAdjustmentRecord {
  const id = `adjustment@${adjustmentTime}`
  const untyped = { categoryId: null, message: '', rejectBehavior: null }
  return { id, companyId, machineId: 'm1', adjustmentTime, count, scrapCount, ...untyped, ...changes }
}

/** A part adjustment type. */
export function anAdjustmentType(
  id: number,
  name: string,
  rejectBehavior: PartAdjustmentTypeRecord['rejectBehavior'],
): PartAdjustmentTypeRecord {
  return { id, companyId, name, color: '#654321', correction: false, scrap: true, rejectBehavior, hidden: false }
}
