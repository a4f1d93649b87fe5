import type { TimedRecords } from '../../schema/records/timed-records.ts'
import type { Range } from '../timeline/commission.ts'
import { isCancelled } from './effective-runs.ts'
import type { Records } from './records.ts'
import { firstIndex } from './sorted-by-machine.ts'

/**
 * Returns the records of a machine in memory that determine its inputs in a span: those that start in it, and those
 * that started earlier and may still be in force. `maxSignInMs`: maximum duration of a sign-in. Runs that start exactly
 * at the end of the span are included, because they end the run before them within the span.
 */
export function recordsOfSpan(
  records: Records,
  machineId: string,
  { fromMs, toMs }: Range,
  maxSignInMs: number,
): TimedRecords {
  const runs = records.runsOf(machineId)
  const annotations = records.annotationsOf(machineId)
  const operatorRuns = records.operatorRunsOf(machineId)
  const adjustments = records.adjustmentsOf(machineId)
  const startOf = ({ startAt }: { readonly startAt: string }): number => Date.parse(startAt)
  const atOf = ({ adjustmentTime }: { readonly adjustmentTime: string }): number => Date.parse(adjustmentTime)
  let firstRun = firstIndex(runs, run => startOf(run) < fromMs) - 1
  while (firstRun > 0 && isCancelled(runs[firstRun])) firstRun--
  const firstAnnotation = firstIndex(annotations, annotation => startOf(annotation) < fromMs) - 1
  return {
    jobRuns: slice(runs, firstRun, run => startOf(run) <= toMs),
    operatorRuns: slice(
      operatorRuns,
      firstIndex(operatorRuns, run => startOf(run) <= fromMs - maxSignInMs),
      run => startOf(run) < toMs,
    ),
    annotations: slice(annotations, firstAnnotation, annotation => startOf(annotation) < toMs),
    partAdjustments: slice(
      adjustments,
      firstIndex(adjustments, adjustment => atOf(adjustment) < fromMs),
      adjustment => atOf(adjustment) < toMs,
    ),
  }
}

function slice<T>(list: readonly T[], first: number, isBeforeEnd: (item: T) => boolean): readonly T[] {
  return list.slice(Math.max(0, first), firstIndex(list, isBeforeEnd))
}
