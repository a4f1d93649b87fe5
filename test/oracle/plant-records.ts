/* oxlint-disable oxc/no-map-spread -- mostly the map of an arbitrary, not of an array */
import * as fc from 'fast-check'
import { defaultCompanySettings } from '../../schema/records/company.ts'
import { defaultThresholds } from '../../schema/records/thresholds.ts'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { CompanySettings } from '../../schema/records/company.ts'
import type { JobOperationRecord, JobTimes } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { ScheduleRecord, Shift } from '../../schema/records/schedule.ts'
import type { Thresholds } from '../../schema/records/thresholds.ts'
import { anAdjustmentType, anOperation, aMachine, aReason, aShift } from './build.ts'
import { iso } from './groups.ts'
import { arbitraryInstant, arbitraryLengthMs, endAfter, nullOr, uuid } from './plant-scene.ts'
import type { Scene } from './plant-scene.ts'
import { asMachineRef } from '../../schema/refs.ts'

/**
 * Maximum number of records of each kind in a plant. Random references are below these numbers and are mapped to
 * existing records.
 */
export const maxRecords = { machines: 4, groups: 3, schedules: 2, operations: 3, operators: 3 } as const

const hourMs = 3_600_000

const arbitraryThresholds: fc.Arbitrary<Partial<Thresholds>> = fc.constantFrom<Partial<Thresholds>>(
  {},
  {},
  { oeeWarning: 0.5, utilizationWarning: 0.9 },
  { oeeFailure: 0.1, partsGoalWarning: 0.8, partsGoalFailure: 0, utilizationFailure: 0.25 },
)

/** Random settings of the company. */
export function arbitraryCompany({ timeZone, startOfDay }: Scene): fc.Arbitrary<CompanySettings> {
  return fc
    .record({
      firstDayOfWeek: fc.constantFrom(1, 7, 3),
      scheduledBy: fc.constantFrom('shift' as const, 'shift' as const, 'job' as const),
      autoProduction: fc.boolean(),
      operatorMaxHours: fc.constantFrom(16, 8, 1),
      microstopMs: fc.constantFrom(0, 0, 60_000, 300_000),
      thresholds: arbitraryThresholds.map(it => ({ ...defaultThresholds, ...it })),
    })
    .map(it => ({ ...defaultCompanySettings, timeZone, startOfDay, ...it }))
}

/** Random machines, one to four; `createdMs` is the creation time of machines without a commissioning time. */
export function arbitraryMachines(scene: Scene, createdMs: number): fc.Arbitrary<readonly MachineRecord[]> {
  const settings = fc.record({
    name: fc.constantFrom('Mill', 'mill', 'Lathe 10', 'Lathe 9', 'Äxis'),
    partCounter: fc.constantFrom(
      'counter' as const,
      'counter' as const,
      'increment' as const,
      'cycle' as const,
      'program' as const,
      'none' as const,
    ),
    partCountKey: nullOr(fc.constantFrom('PARTS', 'line', 'parts_sub', 'Exec2'), 6),
    maxPartJump: fc.constantFrom(1000, 1000, 10, 100),
    maxResetParts: fc.constantFrom(10, 10, 0, 50),
    microstopMs: fc.constantFrom(null, null, 0, 1, 60_000, 600_000, hourMs),
    staleAfterMs: fc.constantFrom(null, null, 60_000, 300_000, hourMs),
    scheduledBy: fc.constantFrom(null, null, 'shift' as const, 'job' as const),
    cutSignal: nullOr(fc.constant({ key: 'S_LOAD', above: 10 }), 3),
    spindleAbove: fc.constantFrom(1, 0, 100),
    thresholds: arbitraryThresholds,
    groups: fc.subarray([...Array(maxRecords.groups).keys()]),
    schedule: nullOr(fc.nat(maxRecords.schedules - 1), 3),
    commissionedMs: nullOr(fc.oneof(fc.constant(scene.window.startMs - hourMs), arbitraryInstant(scene)), 4),
    lengthMs: nullOr(arbitraryLengthMs, 8),
  })
  return fc.array(settings, { minLength: 1, maxLength: maxRecords.machines }).map(list =>
    list.map(({ groups, schedule, commissionedMs, lengthMs, ...rest }, index) =>
      aMachine({
        ...rest,
        id: uuid('machine', index, scene),
        ref: asMachineRef(index + 1),
        erpMachineId: `erp-${scene.options.tag ?? 0}-${index}`,
        machineGroupIds: groups.map(it => uuid('group', it, scene)),
        scheduleId: schedule === null ? null : uuid('schedule', schedule, scene),
        createdAt: iso(createdMs),
        commissionedAt: commissionedMs === null ? null : iso(commissionedMs),
        decommissionedAt: endAfter(commissionedMs ?? scene.window.startMs + hourMs, lengthMs),
      }),
    ),
  )
}

const weekdays = { days: [1, 2, 3, 4, 5] }
const optional = { optional: true }

/** Sets of shifts that are valid in one version; shifts of equal names have equal ids and kinds. */
const patterns: readonly (readonly Shift[])[] = [
  [aShift('early', '06:00', '14:00'), aShift('late', '14:00', '22:00'), aShift('night', '22:00', '06:00')],
  [aShift('office', '08:00', '17:00', weekdays), aShift('overtime', '17:00', '20:30', optional)],
  [aShift('whole', '00:00', '00:00')],
  [aShift('moon', '20:00', '04:00', optional), aShift('morning', '04:00', '12:00', weekdays)],
  [aShift('one', '01:15', '01:45'), aShift('gap', '02:15', '02:45'), aShift('after', '02:45', '03:00')],
  [aShift('weekend', '05:30', '05:30', { days: [6, 7] })],
  [],
]

/** Two random schedules with versions and exceptions that begin on dates of the scene. */
export function arbitrarySchedules(scene: Scene): fc.Arbitrary<readonly ScheduleRecord[]> {
  const dates = [-2, 0, 1, 2, 3].map(days => scene.firstDate.add({ days }).toString())
  const shifts = fc.constantFrom(...patterns)
  const version = fc.record({ effectiveFrom: fc.constantFrom(null, null, ...dates), shifts })
  const exception = fc.record({ date: fc.constantFrom(...dates), shifts })
  const schedule = fc.record({
    versions: fc.uniqueArray(version, { selector: it => it.effectiveFrom, maxLength: 3 }),
    exceptions: fc.uniqueArray(exception, { selector: it => it.date, maxLength: 2 }),
  })
  return fc
    .array(schedule, { minLength: maxRecords.schedules, maxLength: maxRecords.schedules })
    .map(list => list.map((it, index) => scheduleRecord(it, index, scene)))
}

function scheduleRecord(
  {
    versions,
    exceptions,
  }: Pick<ScheduleRecord, 'versions'> & {
    readonly exceptions: readonly { readonly date: string; readonly shifts: readonly Shift[] }[]
  },
  index: number,
  scene: Scene,
): ScheduleRecord {
  const own = (shift: Shift): Shift => {
    const number = patterns.flat().findIndex(it => it.id === shift.id)
    return { ...shift, id: `${scene.options.tag ?? 0}-${index}-${shift.id}`, ref: index * 100 + number + 1 }
  }
  const dayless = (shift: Shift) => {
    const { days: _, ...times } = own(shift)
    return times
  }
  return {
    id: uuid('schedule', index, scene),
    companyId: 'company',
    name: `Schedule ${index}`,
    versions: versions.map(it => ({ effectiveFrom: it.effectiveFrom, shifts: it.shifts.map(own) })),
    exceptions: exceptions.map(it => ({ date: it.date, shifts: it.shifts.map(dayless) })),
  }
}

const arbitraryTimes: fc.Arbitrary<JobTimes> = fc.record({
  expectedSetupTime: fc.constantFrom(null, 0, 60, 1800),
  idealPartTime: fc.constantFrom(null, 0, 1000, 60_000, 300_000, 600_000, 1_200_000),
  expectedPartTime: fc.constantFrom(null, 0, 1500, 90_000, hourMs),
  partCountMultiplier: fc.constantFrom(null, null, 0, 1, 2, 4),
})

/** Three random operations with the times of machines and groups. */
export function arbitraryOperations(scene: Scene): fc.Arbitrary<readonly JobOperationRecord[]> {
  const place = fc.oneof(
    fc.nat(maxRecords.machines - 1).map(it => ({ machineId: uuid('machine', it, scene), machineGroupId: null })),
    fc.nat(maxRecords.groups - 1).map(it => ({ machineId: null, machineGroupId: uuid('group', it, scene) })),
  )
  const center = fc.tuple(place, arbitraryTimes).map(([where, times]) => ({ ...where, ...times }))
  const operation = fc.record({
    times: arbitraryTimes,
    lotName: fc.constantFrom('', 'L'),
    workCenters: fc.array(center, { maxLength: 3 }),
    thresholds: arbitraryThresholds,
  })
  return fc.array(operation, { minLength: maxRecords.operations, maxLength: maxRecords.operations }).map(list =>
    list.map(({ times, ...rest }, index) =>
      anOperation({
        ...times,
        ...rest,
        id: uuid('operation', index, scene),
        ref: index + 1,
        jobName: `Job ${scene.options.tag ?? 0}`,
        partName: `Part ${2 - index}`,
      }),
    ),
  )
}

/** Random job runs in the order of their commands; machines are numbers, which `machineIds` maps to machines. */
export function arbitraryRuns(scene: Scene): fc.Arbitrary<(machineIds: readonly string[]) => readonly JobRunRecord[]> {
  const run = fc.record({
    machine: fc.nat(maxRecords.machines - 1),
    operation: fc.nat(maxRecords.operations - 1),
    startMs: arbitraryInstant(scene),
    lengthMs: fc.oneof(fc.constantFrom(null, null, 0), arbitraryLengthMs, arbitraryLengthMs),
    startInSetup: fc.constantFrom(false, false, true),
    setupMs: nullOr(fc.oneof(fc.constant(0), arbitraryLengthMs), 4),
  })
  return fc.array(run, { maxLength: 9, size: 'large' }).map(
    list => machineIds =>
      list.map((it, index) => ({
        id: `run-${scene.options.tag ?? 0}-${index}`,
        ref: index + 1,
        companyId: 'company',
        machineId: fold(it.machine, machineIds),
        jobOperationId: uuid('operation', it.operation, scene),
        startInSetup: it.startInSetup,
        startAt: iso(it.startMs),
        endAt: endAfter(it.startMs, it.lengthMs),
        productionAt: it.startInSetup ? endAfter(it.startMs, it.setupMs) : null,
        startSequence: index + 1,
      })),
  )
}

function fold(number: number, ids: readonly string[]): string {
  return ids[number % ids.length] ?? ''
}

/** Random sign-ins of operators. */
export function arbitrarySignIns(
  scene: Scene,
): fc.Arbitrary<(machineIds: readonly string[]) => readonly OperatorRunRecord[]> {
  const signIn = fc.record({
    machine: fc.nat(maxRecords.machines - 1),
    operator: fc.nat(maxRecords.operators - 1),
    startMs: arbitraryInstant(scene),
    lengthMs: nullOr(arbitraryLengthMs, 3),
  })
  return fc.array(signIn, { maxLength: 6 }).map(
    list => machineIds =>
      list.map((it, index) => ({
        id: uuid('operatorRun', index, scene),
        companyId: 'company',
        machineId: fold(it.machine, machineIds),
        operatorId: uuid('operator', it.operator, scene),
        startAt: iso(it.startMs),
        endAt: endAfter(it.startMs, it.lengthMs),
      })),
  )
}

/** Returns three reasons, one of them planned. */
export function reasonsOf({ options }: Scene) {
  const first = (options.tag ?? 0) * 10
  return [aReason(first + 1, 'Cleaning', true), aReason(first + 2, 'Broken'), aReason(first + 3, 'Abort')]
}

/** Returns one part adjustment type of each behaviour. */
export function adjustmentTypesOf({ options }: Scene) {
  const first = (options.tag ?? 0) * 10
  return [
    anAdjustmentType(first + 1, 'Burr', 'scrap'),
    anAdjustmentType(first + 2, 'Rework', 'nonconform'),
    anAdjustmentType(first + 3, 'Ask', 'operator'),
  ]
}

/** Random annotations that never overlap on one machine. */
export function arbitraryAnnotations(
  scene: Scene,
): fc.Arbitrary<(machineIds: readonly string[]) => readonly AnnotationRecord[]> {
  const annotation = fc.record({
    machine: fc.nat(maxRecords.machines - 1),
    reason: fc.constantFrom(...reasonsOf(scene).map(it => it.id)),
    startMs: arbitraryInstant(scene),
    lengthMs: nullOr(arbitraryLengthMs, 2),
  })
  return fc.array(annotation, { maxLength: 8 }).map(list => machineIds => {
    const kept: AnnotationRecord[] = []
    list.forEach((it, index) => {
      const record = {
        id: uuid('annotation', index, scene),
        companyId: 'company',
        machineId: fold(it.machine, machineIds),
        reasonId: it.reason,
        startAt: iso(it.startMs),
        endAt: endAfter(it.startMs, it.lengthMs),
        note: '',
      }
      if (!kept.some(other => other.machineId === record.machineId && overlap(other, record))) kept.push(record)
    })
    return kept
  })
}

type Told = Pick<AnnotationRecord, 'startAt' | 'endAt'>

function overlap(a: Told, b: Told): boolean {
  // The strings have one form, so their order is that of their instants.
  return (a.endAt === null || a.endAt > b.startAt) && (b.endAt === null || b.endAt > a.startAt)
}

/** Random part adjustments of every kind. */
export function arbitraryAdjustments(
  scene: Scene,
): fc.Arbitrary<(machineIds: readonly string[]) => readonly PartAdjustmentRecord[]> {
  const adjustment = fc.record({
    machine: fc.nat(maxRecords.machines - 1),
    atMs: arbitraryInstant(scene),
    categoryId: fc.constantFrom(null, ...adjustmentTypesOf(scene).map(it => it.id)),
    scrapCount: fc.integer({ min: -2, max: 6 }),
    count: fc.integer({ min: -6, max: 6 }),
    rejectBehavior: fc.constantFrom(null, 'scrap' as const, 'nonconform' as const),
  })
  return fc.array(adjustment, { maxLength: 8 }).map(
    list => machineIds =>
      list.map(({ machine, atMs, ...rest }, index) => ({
        id: uuid('adjustment', index, scene),
        companyId: 'company',
        machineId: fold(machine, machineIds),
        adjustmentTime: iso(atMs),
        message: '',
        ...rest,
      })),
  )
}
