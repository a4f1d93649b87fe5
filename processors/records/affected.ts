import { isDeepStrictEqual } from 'node:util'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { CompanyRecord, CompanySettings } from '../../schema/records/company.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import { stateSettings, type MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeRecord } from '../../schema/records/part-adjustment-type.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { RunSpan } from '../timeline/types.ts'
import { type DocumentChange, isDocumentChange } from './document-change.ts'
import { scheduleDifference } from './affected-schedule.ts'
import { isCancelled } from './effective-runs.ts'
import { rejectBehaviorOf } from './machine-inputs.ts'
import type { Range } from '../timeline/commission.ts'
import { type ContentRange, differingRanges, joinRanges } from './ranges.ts'
import type { Records } from './records.ts'
import { annotationSpan, runSpans, signInSpan } from './spans.ts'
import type { MachineRef } from '../../schema/refs.ts'

/** Hours of a machine whose documents a change of records invalidates. */
export interface AffectedHours {
  /** `ref` of the machine. */
  readonly machineRef: MachineRef
  /** Start, UTC ms; 0: from the first hour. */
  readonly fromMs: number
  /** End, UTC ms; null: no end. */
  readonly toMs: number | null
  /**
   * `state`: the machine's state changes, and with it the state of all later hours. `calendar`: only calendar, runs,
   * operators, annotations or adjustments change; of the state that later hours start from, only the downtime record
   * and the run's mode may change.
   */
  readonly what: 'state' | 'calendar'
}

const always: Range = { fromMs: 0, toMs: Infinity }

/** Returns whether all records of a machine from an instant on (UTC ms), and those in force then, are in memory. */
export type IsInMemory = (machine: MachineRecord, fromMs: number) => boolean

/**
 * Returns the hours that a change of records invalidates, except those that depend on records that are not in memory
 * (`affectedHistory`). The ranges contain only hours whose own content changes: if
 * the state at the end of an hour changes (such as the start of a downtime record), the caller must also recompute the
 * following hours. Call it in an `onChange` listener: `records` must contain the change, but no later one.
 */
export function findAffectedHours(
  change: Change,
  records: Records,
  isInMemory: IsInMemory = () => true,
): AffectedHours[] {
  return isDocumentChange(change) ? affectedBy(change, records, isInMemory) : []
}

function affectedBy(change: DocumentChange, records: Records, isInMemory: IsInMemory): AffectedHours[] {
  switch (change.kind) {
    case 'machine':
      return byMachine(change.before, change.after)
    case 'company':
      return byCompany(change.before, change.after, records, isInMemory)
    case 'schedule':
      return bySchedule(change.before, change.after, records)
    case 'jobRun':
      return byJobRun(change.before, change.after, records, isInMemory)
    case 'operatorRun':
      return eachMachine(change.before, change.after, records, (before, after) => {
        const settings = findSettings(records, before ?? after)
        return settings ? differingRanges(signInContent(before, settings), signInContent(after, settings)) : []
      })
    case 'annotation':
      return eachMachine(change.before, change.after, records, (before, after) =>
        differingRanges(annotationContent(before), annotationContent(after)),
      )
    case 'partAdjustment':
      return eachMachine(change.before, change.after, records, adjustmentRanges)
    case 'partAdjustmentType':
      return byAdjustmentType(change.before, change.after, records, isInMemory)
  }
}

function byMachine(before: MachineRecord | null, after: MachineRecord | null): AffectedHours[] {
  const machine = after ?? before
  if (!machine) return []
  if (!before || !after || !isDeepStrictEqual(stateSettings(before), stateSettings(after)))
    return toAffectedHours(machine, [always], 'state')
  if (before.scheduleId !== after.scheduleId || before.scheduledBy !== after.scheduledBy)
    return toAffectedHours(machine, [always], 'calendar')
  return toAffectedHours(machine, commissionRanges(before, after), 'calendar')
}

function commissionRanges(before: MachineRecord, after: MachineRecord): Range[] {
  return [
    ...changedRange(before.commissionedAt, after.commissionedAt, instants => {
      // Without `commissionedAt`, the machine's time begins at its first sample, at the latest at the creation of its
      // record.
      const known = instants.map(instant => (instant === null ? Date.parse(after.createdAt) : Date.parse(instant)))
      return { fromMs: instants.includes(null) ? 0 : Math.min(...known), toMs: Math.max(...known) }
    }),
    ...changedRange(before.decommissionedAt, after.decommissionedAt, instants => {
      const known = instants.map(instant => (instant === null ? Infinity : Date.parse(instant)))
      return { fromMs: Math.min(...known), toMs: Math.max(...known) }
    }),
  ]
}

function changedRange(
  before: string | null,
  after: string | null,
  range: (instants: readonly (string | null)[]) => Range,
): Range[] {
  return before === after ? [] : [range([before, after])]
}

function byCompany(
  before: CompanyRecord | null,
  after: CompanyRecord | null,
  records: Records,
  isInMemory: IsInMemory,
): AffectedHours[] {
  if (!before || !after) return []
  const [old, now] = [before.settings, after.settings]
  const zoneChanged = old.timeZone !== now.timeZone || old.startOfDay !== now.startOfDay
  return records.list('machine', after.id).flatMap(machine => {
    if (zoneChanged || (old.scheduledBy !== now.scheduledBy && machine.scheduledBy === null))
      return toAffectedHours(machine, [always], 'calendar')
    if (!isInMemory(machine, -Infinity)) return []
    return toAffectedHours(
      machine,
      [...autoProductionRanges(old, now, machine, records), ...maxHoursRanges(old, now, machine, records)],
      'calendar',
    )
  })
}

function autoProductionRanges(
  old: CompanySettings,
  now: CompanySettings,
  machine: MachineRecord,
  records: Records,
): Range[] {
  if (old.autoProduction === now.autoProduction) return []
  return runSpans(records.runsOf(machine.id))
    .filter(({ startInSetup }) => startInSetup)
    .map(({ startMs, endMs }) => ({ fromMs: startMs, toMs: endMs }))
}

function maxHoursRanges(old: CompanySettings, now: CompanySettings, machine: MachineRecord, records: Records): Range[] {
  if (old.operatorMaxHours === now.operatorMaxHours) return []
  return records
    .operatorRunsOf(machine.id)
    .flatMap(run => differingRanges(signInContent(run, old), signInContent(run, now)))
}

function bySchedule(before: ScheduleRecord | null, after: ScheduleRecord | null, records: Records): AffectedHours[] {
  const schedule = after ?? before
  if (!schedule) return []
  const ranges = scheduleDifference(before, after)
  if (ranges.length === 0) return []
  return records
    .list('machine', schedule.companyId)
    .filter(({ scheduleId }) => scheduleId === schedule.id)
    .flatMap(machine => toAffectedHours(machine, ranges, 'calendar'))
}

function byJobRun(
  before: JobRunRecord | null,
  after: JobRunRecord | null,
  records: Records,
  isInMemory: IsInMemory,
): AffectedHours[] {
  return eachMachine(before, after, records, (old, now, machine) => {
    const starts = [old, now].flatMap(run => (run ? [Date.parse(run.startAt)] : []))
    if (!isInMemory(machine, Math.min(...starts))) return []
    const current = runsAround(records.runsOf(machine.id), [old, now])
    const others = current.filter(({ ref }) => ref !== (now ?? old)?.ref)
    const previous = old ? [...others, old].sort(byStartAndSequence) : others
    return spansDifference(runSpans(previous), runSpans(current))
  })
}

/**
 * Returns the runs whose effective time the changed runs may affect: from the last effective run that starts before
 * them to the first that starts after them.
 */
function runsAround(runs: readonly JobRunRecord[], changed: readonly (JobRunRecord | null)[]): readonly JobRunRecord[] {
  const starts = changed.flatMap(run => (run ? [run.startAt] : [])).sort()
  const [earliest = '', latest = ''] = [starts[0], starts.at(-1)]
  const first = Math.max(
    0,
    runs.findLastIndex(run => run.startAt < earliest && !isCancelled(run)),
  )
  const last = runs.slice(first).findIndex(run => run.startAt > latest && !isCancelled(run))
  return last < 0 ? runs.slice(first) : runs.slice(first, first + last + 1)
}

function byStartAndSequence(a: JobRunRecord, b: JobRunRecord): number {
  return Date.parse(a.startAt) - Date.parse(b.startAt) || a.startSequence - b.startSequence
}

/**
 * Returns the ranges in which the effective runs of a machine differ: the changed run, and an earlier run that it cuts
 * off.
 */
function spansDifference(before: readonly RunSpan[], after: readonly RunSpan[]): Range[] {
  const [old, now] = [before, after].map(spans => new Map(spans.map(span => [span.run, span])))
  const runs = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])
  return [...runs].flatMap(run => runDifference(old?.get(run) ?? null, now?.get(run) ?? null))
}

function runDifference(before: RunSpan | null, after: RunSpan | null): Range[] {
  const ranges = differingRanges(runContent(before), runContent(after))
  if (!before?.startInSetup || !after || before.productionMs === after.productionMs) return ranges
  const fromMs = Math.min(before.productionMs ?? Infinity, after.productionMs ?? Infinity)
  const toMs = Math.max(before.endMs, after.endMs)
  return fromMs < toMs ? [...ranges, { fromMs, toMs }] : ranges
}

function byAdjustmentType(
  before: PartAdjustmentTypeRecord | null,
  after: PartAdjustmentTypeRecord | null,
  records: Records,
  isInMemory: IsInMemory,
): AffectedHours[] {
  const type = after ?? before
  if (!type || before?.rejectBehavior === after?.rejectBehavior) return []
  return records.list('machine', type.companyId).flatMap(machine => {
    if (!isInMemory(machine, -Infinity)) return []
    const adjustments = records.adjustmentsOf(machine.id).filter(({ categoryId }) => categoryId === type.id)
    const changedAdjustments = adjustments.filter(
      adjustment =>
        adjustment.scrapCount !== 0 && rejectBehaviorOf(adjustment, before) !== rejectBehaviorOf(adjustment, after),
    )
    return toAffectedHours(machine, changedAdjustments.map(instantOf), 'calendar')
  })
}

function adjustmentRanges(before: PartAdjustmentRecord | null, after: PartAdjustmentRecord | null): Range[] {
  if (before && after && isDeepStrictEqual({ ...before, message: '' }, { ...after, message: '' })) return []
  return [before, after].flatMap(adjustment => (adjustment ? [instantOf(adjustment)] : []))
}

function instantOf({ adjustmentTime }: PartAdjustmentRecord): Range {
  const atMs = Date.parse(adjustmentTime)
  return { fromMs: atMs, toMs: atMs + 1 }
}

/**
 * Returns the affected ranges of the record's machine; if the record moved to another machine, all of its time on both
 * machines.
 */
function eachMachine<T extends { readonly machineId: string }>(
  before: T | null,
  after: T | null,
  records: Records,
  ranges: (before: T | null, after: T | null, machine: MachineRecord) => readonly Range[],
): AffectedHours[] {
  if (before && after && before.machineId !== after.machineId)
    return [...eachMachine(before, null, records, ranges), ...eachMachine(null, after, records, ranges)]
  const record = after ?? before
  const machine = record ? records.machine(record.machineId) : null
  return machine ? toAffectedHours(machine, ranges(before, after, machine), 'calendar') : []
}

function toAffectedHours(
  machine: MachineRecord,
  ranges: readonly Range[],
  what: AffectedHours['what'],
): AffectedHours[] {
  return joinRanges(ranges).map(({ fromMs, toMs }) => ({
    machineRef: machine.ref,
    fromMs,
    toMs: toMs === Infinity ? null : toMs,
    what,
  }))
}

function findSettings(records: Records, record: { readonly companyId: string } | null): CompanySettings | null {
  return record ? (records.company(record.companyId)?.settings ?? null) : null
}

function signInContent(run: OperatorRunRecord | null, settings: CompanySettings): ContentRange | null {
  if (!run) return null
  const { startMs, endMs } = signInSpan(run, settings)
  return { fromMs: startMs, toMs: endMs, content: run.operatorId }
}

function annotationContent(annotation: AnnotationRecord | null): ContentRange | null {
  if (!annotation) return null
  const { startMs, endMs, reason } = annotationSpan(annotation)
  return { fromMs: startMs, toMs: endMs, content: String(reason) }
}

function runContent(span: RunSpan | null): ContentRange | null {
  return span && { fromMs: span.startMs, toMs: span.endMs, content: String(span.startInSetup) }
}
