import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import { type CompanySettings, maxSignInMs } from '../../schema/records/company.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { AnnotationSpan, RunSpan } from '../timeline/types.ts'
import { effectiveRuns, endMsOf } from './effective-runs.ts'

/**
 * Returns the effective runs of a machine (`effectiveRuns`), by start and without overlap. `runs`: reported runs, by
 * (startAt, startSequence).
 */
export function runSpans(runs: readonly JobRunRecord[]): RunSpan[] {
  return effectiveRuns(runs).map(({ run, startMs, endMs }) => ({
    run: run.ref,
    startMs,
    endMs,
    startInSetup: run.startInSetup,
    productionMs: run.productionAt === null ? null : Math.max(startMs, Date.parse(run.productionAt)),
  }))
}

/**
 * Returns the time of a sign-in, UTC ms: it ends at its endAt, at the latest after the company's `operatorMaxHours`.
 */
export function signInSpan(
  { startAt, endAt }: OperatorRunRecord,
  settings: Pick<CompanySettings, 'operatorMaxHours'>,
): { readonly startMs: number; readonly endMs: number } {
  const startMs = Date.parse(startAt)
  return { startMs, endMs: Math.min(endMsOf(endAt), startMs + maxSignInMs(settings)) }
}

export function annotationSpan({ reasonId, startAt, endAt }: AnnotationRecord): AnnotationSpan {
  return { reason: reasonId, startMs: Date.parse(startAt), endMs: endMsOf(endAt) }
}
