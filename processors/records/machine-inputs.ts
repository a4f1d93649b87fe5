import { type CompanyRecord, type CompanySettings, maxSignInMs } from '../../schema/records/company.ts'
import { stateSettings, type MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeRecord, RejectBehavior } from '../../schema/records/part-adjustment-type.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { TimedRecords } from '../../schema/records/timed-records.ts'
import type { CalendarSpan } from '../calendar/types.ts'
import type { Range } from '../timeline/commission.ts'
import type { Adjustment, MachineInputs, MachineParameters, OperatorSpan, TimedInputs } from '../timeline/types.ts'
import type { Records } from './records.ts'
import { recordsOfSpan } from './records-of-span.ts'
import { annotationSpan, runSpans, signInSpan } from './spans.ts'

/** Part of a calendar on which documents depend. */
export interface SpanSource {
  spans(fromMs: number, toMs: number): readonly CalendarSpan[]
}

/**
 * Returns the calendar for the settings of a company and a schedule (null: no schedule). Equal arguments return the
 * same calendar.
 */
export type CalendarOf = (settings: CompanySettings, schedule: ScheduleRecord | null) => SpanSource

/** Creates a function that caches one calendar per pair of settings and schedule, while both objects exist. */
export function shareCalendars<T extends SpanSource>(
  create: (settings: CompanySettings, schedule: ScheduleRecord | null) => T,
): (settings: CompanySettings, schedule: ScheduleRecord | null) => T {
  const noSchedule = {}
  const bySettings = new WeakMap<CompanySettings, WeakMap<object, T>>()
  return (settings, schedule) => {
    const key = schedule ?? noSchedule
    const calendars = bySettings.get(settings) ?? new WeakMap<object, T>()
    bySettings.set(settings, calendars)
    const calendar = calendars.get(key) ?? create(settings, schedule)
    calendars.set(key, calendar)
    return calendar
  }
}

/** The span that contains all instants. */
const allTime: Range = { fromMs: -Infinity, toMs: Infinity }

/**
 * Returns the inputs of a machine's documents in a span, from the records in memory. Throws if the machine's company
 * does not exist.
 */
export function machineInputs(
  records: Records,
  machine: MachineRecord,
  calendarOf: CalendarOf,
  span: Range = allTime,
): MachineInputs {
  const { settings } = companyOf(records, machine)
  const timed = recordsOfSpan(records, machine.id, span, maxSignInMs(settings))
  return joinInputs(machineParameters(records, machine, calendarOf), timedInputs(records, machine, timed, span))
}

/** Returns all inputs as one object. Lists all properties, because objects from a spread are slow to read. */
export function joinInputs(parameters: MachineParameters, timed: TimedInputs): MachineInputs {
  const { companyRef, machineRef, settings, commissioned, scheduledBy, autoProduction, calendar } = parameters
  const { runs, operators, annotations, adjustments } = timed
  return {
    companyRef,
    machineRef,
    settings,
    commissioned,
    scheduledBy,
    autoProduction,
    calendar,
    runs,
    operators,
    annotations,
    adjustments,
  }
}

/** Returns the inputs that do not depend on records with a time. Throws if the machine's company does not exist. */
export function machineParameters(records: Records, machine: MachineRecord, calendarOf: CalendarOf): MachineParameters {
  const company = companyOf(records, machine)
  const { settings } = company
  const calendar = calendarOf(settings, records.scheduleOf(machine))
  return {
    companyRef: company.ref,
    machineRef: machine.ref,
    settings: stateSettings(machine),
    commissioned: {
      fromMs: machine.commissionedAt === null ? null : Date.parse(machine.commissionedAt),
      createdMs: Date.parse(machine.createdAt),
      toMs: machine.decommissionedAt === null ? null : Date.parse(machine.decommissionedAt),
    },
    scheduledBy: machine.scheduledBy ?? settings.scheduledBy,
    autoProduction: settings.autoProduction,
    calendar: (fromMs, toMs) => calendar.spans(fromMs, toMs),
  }
}

/**
 * Returns the inputs of a span from the records that determine them (`recordsOfSpan`). Ends after the span may differ
 * from those of a longer span, because a later run may end a run earlier. Throws if the machine's company does not
 * exist.
 */
export function timedInputs(
  records: Records,
  machine: MachineRecord,
  { jobRuns, operatorRuns, annotations, partAdjustments }: TimedRecords,
  { fromMs }: Range,
): TimedInputs {
  const { settings } = companyOf(records, machine)
  const isInSpan = ({ endMs }: { readonly endMs: number }): boolean => endMs > fromMs
  return {
    runs: runSpans(jobRuns).filter(isInSpan),
    operators: operatorRuns.flatMap(run => operatorSpan(records, run, settings)).filter(isInSpan),
    annotations: annotations.map(annotationSpan).filter(isInSpan),
    adjustments: partAdjustments.map(adjustment => resolveAdjustment(records, adjustment)),
  }
}

function companyOf(records: Records, machine: MachineRecord): CompanyRecord {
  const company = records.company(machine.companyId)
  if (!company) throw new Error(`The company of machine ${machine.id} does not exist`)
  return company
}

function operatorSpan(records: Records, run: OperatorRunRecord, settings: CompanySettings): OperatorSpan[] {
  const operator = records.get('operator', run.companyId, run.operatorId)
  const { startMs, endMs } = signInSpan(run, settings)
  return operator && startMs < endMs ? [{ operator: operator.ref, startMs, endMs }] : []
}

function resolveAdjustment(records: Records, adjustment: PartAdjustmentRecord): Adjustment {
  const { companyId, categoryId, scrapCount, count } = adjustment
  const type = categoryId === null ? null : records.get('partAdjustmentType', companyId, categoryId)
  const isScrap = rejectBehaviorOf(adjustment, type) === 'scrap'
  return {
    atMs: Date.parse(adjustment.adjustmentTime),
    count,
    scrap: isScrap ? scrapCount : 0,
    nonconform: isScrap ? 0 : scrapCount,
    type: categoryId ?? 0,
  }
}

/**
 * Returns the behavior of the type, unless it is `operator`; otherwise the behavior of the adjustment; otherwise scrap.
 */
export function rejectBehaviorOf(
  adjustment: Pick<PartAdjustmentRecord, 'rejectBehavior'>,
  type: Pick<PartAdjustmentTypeRecord, 'rejectBehavior'> | null,
): RejectBehavior {
  const ofType = type?.rejectBehavior ?? 'operator'
  return ofType === 'operator' ? (adjustment.rejectBehavior ?? 'scrap') : ofType
}
