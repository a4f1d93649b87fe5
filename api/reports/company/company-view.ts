import type { Calendar } from '../../../processors/calendar/types.ts'
import { type CompanyRecord, type CompanySettings, settingsOf } from '../../../schema/records/company.ts'
import type { DowntimeReasonRecord } from '../../../schema/records/downtime-reason.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import type { MachineGroupRecord } from '../../../schema/records/machine-group.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { OperatorRecord } from '../../../schema/records/operator.ts'
import type { ScheduleRecord, ShiftTimes } from '../../../schema/records/schedule.ts'
import type { PartAdjustmentTypeRecord } from '../../../schema/records/part-adjustment-type.ts'
import type { ListenerChange } from '../../../processors/records/record-listeners.ts'
import type { Records } from '../../../processors/records/records.ts'
import type { MachineRef } from '../../../schema/refs.ts'

/** Records of one company by the refs in documents. Valid until the next change of the records. */
export interface CompanyView {
  readonly company: CompanyRecord
  /** The company's calendar, without a schedule. */
  readonly calendar: Calendar
  readonly nowMs: number
  /** Decommissioned ones too. */
  readonly machines: readonly MachineRecord[]
  readonly machineGroups: readonly MachineGroupRecord[]
  readonly shifts: ReadonlyMap<number, ShiftDefinition>
  readonly operators: ReadonlyMap<number, OperatorRecord>
  /** No run's ref is higher. */
  readonly lastRun: number
  readonly reasons: readonly DowntimeReasonRecord[]
  readonly adjustmentTypes: readonly PartAdjustmentTypeRecord[]
  /** Minimum length of counted stops by machine, ms; only lengths above 0. */
  readonly microstops: ReadonlyMap<number, number>
  readonly plannedReasons: readonly number[]
  /** Whether multipliers or thresholds differ between runs or machines. */
  readonly differs: {
    readonly multipliers: boolean
    readonly machineThresholds: boolean
    readonly runThresholds: boolean
  }
  machine(ref: MachineRef): MachineRecord | null
  /** Returns an operation that is in memory; null if there is none. */
  recentOperation(id: string): JobOperationRecord | null
  /** Like `recentOperation`, by its ref. */
  recentOperationByRef(ref: number): JobOperationRecord | null
}

/** The views of all companies; indexes that are costly to build are updated by each change. */
interface CompanyViews {
  /** null: no such company. */
  of(companyId: string): CompanyView | null
  readonly stop: () => void
}

export interface CompanyViewDeps {
  readonly records: Records
  /** Shared calendars; null: without a schedule. */
  readonly calendarOf: (settings: CompanySettings, schedule: ScheduleRecord | null) => Calendar
  readonly clock: () => number
}

export function createCompanyViews(deps: CompanyViewDeps): CompanyViews {
  const { records } = deps
  const indexes = new Map<string, CompanyIndex>()
  const stop = records.onChange(change => {
    const companyId = companyOf(change)
    if (companyId !== null) indexes.get(companyId)?.apply(change)
  })
  return {
    of(companyId) {
      const company = records.company(companyId)
      if (!company) return null
      const index = indexes.get(companyId) ?? new CompanyIndex(records, companyId)
      indexes.set(companyId, index)
      return viewOf(company, index, deps)
    },
    stop,
  }
}

function viewOf(
  company: CompanyRecord,
  index: CompanyIndex,
  { records, calendarOf, clock }: CompanyViewDeps,
): CompanyView {
  const { id: companyId } = company
  const nowMs = clock()
  const machine = (ref: MachineRef) => {
    const found = records.machineByRef(ref)
    return found?.companyId === companyId ? found : null
  }
  const operations = records.jobOperations(companyId)
  const reasons = records.list('downtimeReason', companyId)
  return {
    company,
    calendar: calendarOf(company.settings, null),
    nowMs,
    machines: records.machines(companyId),
    machineGroups: records.list('machineGroup', companyId),
    shifts: index.shifts,
    operators: index.operators,
    lastRun: records.lastRun,
    reasons,
    adjustmentTypes: records.list('partAdjustmentType', companyId),
    microstops: index.microstops,
    plannedReasons: reasons.flatMap(({ id, planned }) => (planned ? [id] : [])),
    differs: {
      multipliers: operations.hasMultipliers,
      machineThresholds: index.machineThresholds > 0,
      runThresholds: operations.hasThresholds,
    },
    machine,
    recentOperation: id => operations.get(id),
    recentOperationByRef: ref => operations.byRef(ref),
  }
}

function companyOf({ kind, id, before, after }: ListenerChange): string | null {
  const record = after ?? before
  if (kind === 'company') return id
  return record && 'companyId' in record ? record.companyId : null
}

/** A shift's definition, as reports show it. */
interface ShiftDefinition extends Pick<ShiftTimes, 'id' | 'ref' | 'name' | 'optional'> {
  readonly scheduleId: string
}

/** Finds the records of one company by the refs and codes in documents; each change updates it. */
class CompanyIndex {
  readonly operators = new Map<number, OperatorRecord>()
  shifts: ReadonlyMap<number, ShiftDefinition>
  machineThresholds = 0
  #microstops: ReadonlyMap<number, number> | null = null
  readonly #records: Records
  readonly #companyId: string

  constructor(records: Records, companyId: string) {
    this.#records = records
    this.#companyId = companyId
    this.shifts = this.#shifts()
    for (const operator of records.list('operator', companyId)) this.operators.set(operator.ref, operator)
    for (const machine of records.list('machine', companyId)) this.machineThresholds += thresholdsOf(machine)
  }

  /** Rebuilt after a change of machines or of the company. */
  get microstops(): ReadonlyMap<number, number> {
    return (this.#microstops ??= this.#readMicrostops())
  }

  #readMicrostops(): ReadonlyMap<number, number> {
    const company = this.#records.company(this.#companyId)
    const ofCompany = company ? settingsOf(company).microstopMs : 0
    const machines = this.#records.list('machine', this.#companyId)
    const all = machines.map(({ ref, microstopMs }) => [ref, microstopMs ?? ofCompany] as const)
    return new Map(all.filter(([, microstopMs]) => microstopMs > 0))
  }

  /** Updates the index after a change. */
  apply(change: ListenerChange): void {
    if (change.kind === 'operator') {
      if (change.after) this.operators.set(change.after.ref, change.after)
    } else if (change.kind === 'schedule') {
      this.shifts = this.#shifts()
    } else if (change.kind === 'machine') {
      this.machineThresholds += thresholdsOf(change.after) - thresholdsOf(change.before)
      this.#microstops = null
    } else if (change.kind === 'company') {
      this.#microstops = null
    }
  }

  #shifts(): ReadonlyMap<number, ShiftDefinition> {
    const schedules = this.#records.list('schedule', this.#companyId)
    return new Map(schedules.flatMap(shiftsOf).map(shift => [shift.ref, shift]))
  }
}

/** The shifts of a schedule; later entries of a shift replace earlier ones: the newest version names it. */
function shiftsOf({ id: scheduleId, versions, exceptions }: ScheduleRecord): ShiftDefinition[] {
  const inForceLast = versions.toSorted((a, b) => ((a.effectiveFrom ?? '') < (b.effectiveFrom ?? '') ? -1 : 1))
  return [...exceptions, ...inForceLast].flatMap(({ shifts }) =>
    shifts.map(({ id, ref, name, optional }) => ({ id, ref, name, optional, scheduleId })),
  )
}

/** 1 if the record has its own thresholds. */
function thresholdsOf(record: MachineRecord | null): 0 | 1 {
  return record && Object.keys(record.thresholds).length > 0 ? 1 : 0
}
