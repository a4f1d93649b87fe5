import type { Mode } from '../../schema/document.ts'
import type { JobOperationRecord, JobTimes } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { Thresholds } from '../../schema/records/thresholds.ts'
import type { Addition } from './parts.ts'
import { milliseconds } from './samples.ts'
import type { Interval, OraclePlant } from './types.ts'

/** A job run with its actual start and end. */
export interface RunSpan extends Interval {
  readonly record: JobRunRecord
  readonly operation: JobOperationRecord
  /**
   * Start of production, UTC ms: `startMs` unless the run started in setup, Infinity if it never moved to production.
   */
  readonly productionMs: number
  readonly times: EffectiveTimes
}

export interface EffectiveTimes {
  readonly setupMs: number | null
  readonly idealMs: number | null
  readonly expectedMs: number | null
  readonly multiplier: number
}

/** Returns the job runs of one machine, in order and without overlap. */
export function runSpans(
  plant: OraclePlant,
  machine: MachineRecord,
  additions: readonly Addition[],
): readonly RunSpan[] {
  const records = plant.runs
    .filter(run => run.machineId === machine.id)
    .filter(run => run.endAt === null || milliseconds(run.endAt) !== milliseconds(run.startAt))
  const standing = records
    .filter(
      run =>
        !records.some(
          it => milliseconds(it.startAt) === milliseconds(run.startAt) && it.startSequence > run.startSequence,
        ),
    )
    .toSorted((a, b) => milliseconds(a.startAt) - milliseconds(b.startAt))
  return standing.map((record, index) => {
    const next = standing[index + 1]
    const startMs = milliseconds(record.startAt)
    const endMs = Math.min(
      record.endAt === null ? Infinity : milliseconds(record.endAt),
      next === undefined ? Infinity : milliseconds(next.startAt),
    )
    const operation = operationOf(plant, record)
    const productionMs = productionStart(record, { startMs, endMs }, plant.company.autoProduction, additions)
    return { record, startMs, endMs, operation, productionMs, times: effectiveTimes(operation, machine) }
  })
}

function operationOf(plant: OraclePlant, run: JobRunRecord): JobOperationRecord {
  const operation = plant.operations.find(it => it.id === run.jobOperationId)
  if (!operation) throw new Error(`run ${run.id} has no operation`)
  return operation
}

function productionStart(
  run: JobRunRecord,
  { startMs, endMs }: Interval,
  autoProduction: boolean,
  additions: readonly Addition[],
): number {
  if (!run.startInSetup) return startMs
  const toldMs = run.productionAt === null ? Infinity : Math.max(startMs, milliseconds(run.productionAt))
  const first = additions.find(it => it.parts > 0 && it.atMs >= startMs && it.atMs < endMs)
  return Math.min(toldMs, autoProduction ? (first?.atMs ?? Infinity) : Infinity)
}

/** Returns the mode at an instant: `setup`, `production`, or `none` without a run. */
export function modeAt(run: RunSpan | null, atMs: number): Mode {
  if (!run) return 'none'
  return atMs < run.productionMs ? 'setup' : 'production'
}

/**
 * Returns the job times that apply on a machine; each is that of the machine, otherwise of the first of its groups that
 * has one, otherwise of the operation.
 */
function effectiveTimes(operation: JobOperationRecord, machine: MachineRecord): EffectiveTimes {
  const entries: readonly JobTimes[] = [
    ...operation.workCenters.filter(it => it.machineId === machine.id),
    ...operation.workCenters.filter(
      it => it.machineGroupId !== null && machine.machineGroupIds.includes(it.machineGroupId),
    ),
    operation,
  ]
  const firstOf = (field: keyof JobTimes) => entries.map(it => it[field]).find(value => value !== null) ?? null
  const firstAbove0 = (field: keyof JobTimes) =>
    entries.map(it => it[field]).find(value => value !== null && value !== 0) ?? null
  const setupS = firstOf('expectedSetupTime')
  return {
    setupMs: setupS === null ? null : setupS * 1000,
    idealMs: firstAbove0('idealPartTime'),
    expectedMs: firstAbove0('expectedPartTime'),
    multiplier: firstAbove0('partCountMultiplier') ?? 1,
  }
}

/** Returns the threshold of the run's operation, otherwise of the machine, otherwise of the company. */
export function thresholdAt(
  name: keyof Thresholds,
  run: RunSpan | null,
  machine: MachineRecord,
  company: Thresholds,
): number {
  return run?.operation.thresholds[name] ?? machine.thresholds[name] ?? company[name]
}

/** A sign-in of an operator on the machine. */
export interface SignIn extends Interval {
  readonly operatorId: string
}

/** Returns the sign-ins of operators on the machine. */
export function signIns(plant: OraclePlant, machine: MachineRecord): readonly SignIn[] {
  return plant.operatorRuns
    .filter(it => it.machineId === machine.id)
    .map(({ operatorId, startAt, endAt }) => {
      const startMs = milliseconds(startAt)
      const longestMs = startMs + plant.company.operatorMaxHours * 3_600_000
      return { operatorId, startMs, endMs: Math.min(longestMs, endAt === null ? Infinity : milliseconds(endAt)) }
    })
}
