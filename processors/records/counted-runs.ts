import type { JobRunRecord } from '../../schema/records/job-run.ts'
import { firstIndex } from './sorted-by-machine.ts'

/** A run with the time in which it counts. */
export interface CountedRun {
  readonly run: JobRunRecord
  readonly startMs: number
  /** Infinity while it is open. */
  readonly endMs: number
}

/**
 * A machine's runs as they count. `runs` as told, by (startAt, startSequence). A run whose endAt is its startAt never was; of the others
 * with equal startAt only the one with the highest startSequence was; a run ends at its endAt or at the start of the next that was.
 */
export function countedRuns(runs: readonly JobRunRecord[]): CountedRun[] {
  const counted: CountedRun[] = []
  let nextStartAt: string | null = null
  for (const run of runs.toReversed()) {
    if (run.endAt === run.startAt || run.startAt === nextStartAt) continue
    counted.push({ run, startMs: Date.parse(run.startAt), endMs: Math.min(endMsOf(run.endAt), endMsOf(nextStartAt)) })
    nextStartAt = run.startAt
  }
  return counted.reverse()
}

/** One of a machine's runs as it counts, without a look at those before it; null: it never was. `runs` as above. */
export function countedRunOf(run: JobRunRecord, runs: readonly JobRunRecord[]): CountedRun | null {
  if (run.endAt === run.startAt) return null
  const { startAt, startSequence } = run
  const after = firstIndex(
    runs,
    other => other.startAt < startAt || (other.startAt === startAt && other.startSequence <= startSequence),
  )
  let next = after
  while (next < runs.length && runs[next]?.endAt === runs[next]?.startAt) next++
  const nextStartAt = runs[next]?.startAt ?? null
  if (nextStartAt === startAt) return null
  return { run, startMs: Date.parse(startAt), endMs: Math.min(endMsOf(run.endAt), endMsOf(nextStartAt)) }
}

/**
 * The end of a run in the API, UTC ms. null while the run is in progress, even with a planned end or a later run on the
 * machine.
 */
export function shownEndMs({ startMs, endMs }: Pick<CountedRun, 'startMs' | 'endMs'>, nowMs: number): number | null {
  const isInProgress = startMs <= nowMs && nowMs < endMs
  return isInProgress || endMs === Infinity ? null : endMs
}

/** UTC ms of an end; Infinity without one. */
export function endMsOf(endAt: string | null): number {
  return endAt === null ? Infinity : Date.parse(endAt)
}
