import type { JobRunRecord } from '../../schema/records/job-run.ts'
import { firstIndex } from './sorted-by-machine.ts'

/** A job run with its effective time. */
export interface EffectiveRun {
  readonly run: JobRunRecord
  readonly startMs: number
  /** Infinity if the run is open. */
  readonly endMs: number
}

/**
 * Returns the effective runs of a machine, by start and without overlap. `runs`: reported runs, by (startAt,
 * startSequence). A run whose endAt equals its startAt was cancelled; of runs with equal startAt, only the one with the
 * highest startSequence is effective; a run ends at its endAt, at the latest when the next effective run starts.
 */
export function effectiveRuns(runs: readonly JobRunRecord[]): EffectiveRun[] {
  const effective: EffectiveRun[] = []
  let nextStartAt: string | null = null
  for (const run of runs.toReversed()) {
    if (isCancelled(run) || run.startAt === nextStartAt) continue
    effective.push({ run, startMs: Date.parse(run.startAt), endMs: Math.min(endMsOf(run.endAt), endMsOf(nextStartAt)) })
    nextStartAt = run.startAt
  }
  return effective.reverse()
}

/**
 * Returns one run with its effective time, as `effectiveRuns` does, but reads only later runs; null if the run is not
 * effective.
 */
export function findEffectiveRun(run: JobRunRecord, runs: readonly JobRunRecord[]): EffectiveRun | null {
  if (isCancelled(run)) return null
  const { startAt, startSequence } = run
  const after = firstIndex(
    runs,
    other => other.startAt < startAt || (other.startAt === startAt && other.startSequence <= startSequence),
  )
  let next = after
  while (next < runs.length && isCancelled(runs[next])) next++
  const nextStartAt = runs[next]?.startAt ?? null
  if (nextStartAt === startAt) return null
  return { run, startMs: Date.parse(startAt), endMs: Math.min(endMsOf(run.endAt), endMsOf(nextStartAt)) }
}

/** Returns whether a run was cancelled: its endAt equals its startAt. */
export function isCancelled(run: JobRunRecord | undefined): boolean {
  return run !== undefined && run.endAt === run.startAt
}

/**
 * Returns the end of a run for responses, UTC ms. null while the run is in progress, even with a planned end or a later
 * run on the machine.
 */
export function shownEndMs({ startMs, endMs }: Pick<EffectiveRun, 'startMs' | 'endMs'>, nowMs: number): number | null {
  const isInProgress = startMs <= nowMs && nowMs < endMs
  return isInProgress || endMs === Infinity ? null : endMs
}

/** Returns the end in UTC ms; Infinity if it is open. */
export function endMsOf(endAt: string | null): number {
  return endAt === null ? Infinity : Date.parse(endAt)
}
