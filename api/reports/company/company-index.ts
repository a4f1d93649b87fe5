import type { ListenerChange } from '../../../processors/records/record-listeners.ts'
import type { Records } from '../../../processors/records/records.ts'
import type { JobRunRecord } from '../../../schema/records/job-run.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { OperatorRecord } from '../../../schema/records/operator.ts'
import type { ScheduleRecord, ShiftTimes } from '../../../schema/records/schedule.ts'

/** A shift's definition, as reports show it. */
export interface ShiftDefinition extends Pick<ShiftTimes, 'id' | 'ref' | 'name' | 'optional'> {
  readonly scheduleId: string
}

/** Finds one company's records by what documents hold of them; kept up to date change by change. */
export class CompanyIndex {
  readonly runs = new Map<number, JobRunRecord>()
  lastRun = 0
  readonly runsByOperation = new Map<string, Set<number>>()
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
    for (const run of records.list('jobRun', companyId)) this.#addRun(run)
    for (const operator of records.list('operator', companyId)) this.operators.set(operator.ref, operator)
    for (const machine of records.list('machine', companyId)) this.machineThresholds += thresholdsOf(machine)
  }

  /** Rebuilt after a change of machines. */
  get microstops(): ReadonlyMap<number, number> {
    const machines = () => this.#records.list('machine', this.#companyId)
    return (this.#microstops ??= new Map(
      machines().flatMap(({ ref, microstopMs }) => (microstopMs > 0 ? [[ref, microstopMs] as const] : [])),
    ))
  }

  apply({ kind, before, after }: ListenerChange): void {
    if (kind === 'jobRun') {
      if (before) this.#removeRun(before)
      if (after) this.#addRun(after)
    } else if (kind === 'operator') {
      if (after) this.operators.set(after.ref, after)
    } else if (kind === 'schedule') {
      this.shifts = this.#shifts()
    } else if (kind === 'machine') {
      this.machineThresholds += thresholdsOf(after) - thresholdsOf(before)
      this.#microstops = null
    }
  }

  #addRun(run: JobRunRecord): void {
    this.runs.set(run.ref, run)
    this.lastRun = Math.max(this.lastRun, run.ref)
    const ofOperation = this.runsByOperation.get(run.jobOperationId)
    if (ofOperation) ofOperation.add(run.ref)
    else this.runsByOperation.set(run.jobOperationId, new Set([run.ref]))
  }

  #removeRun(run: JobRunRecord): void {
    this.runs.delete(run.ref)
    this.runsByOperation.get(run.jobOperationId)?.delete(run.ref)
  }

  #shifts(): ReadonlyMap<number, ShiftDefinition> {
    const schedules = this.#records.list('schedule', this.#companyId)
    return new Map(schedules.flatMap(shiftsOf).map(shift => [shift.ref, shift]))
  }
}

/** The newest telling of a shift names it. */
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
