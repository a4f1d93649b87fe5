import { type AlertStep, maxRepeats } from '../../schema/records/alert-rule.ts'
import type { Span } from '../spans/spans.ts'

/** A notice of a step to one target, UTC ms. Steps are numbered from 1. */
export interface PlannedNotice {
  readonly atMs: number
  readonly step: number
  readonly targetId: string
}

/**
 * Returns the notices of the steps of an incident before `limitMs`, by time, if the incident is never acknowledged. Steps
 * count from the opening of an episode, until it is resolved; a step that started in an earlier episode is done. Of more
 * than `maxNotices`, the first ones are returned.
 */
export function plannedNotices(
  steps: readonly AlertStep[],
  { episodes }: Span,
  resolveAfterMs: number,
  limitMs: number,
  maxNotices: number,
): readonly PlannedNotice[] {
  if (maxNotices === 0) return []
  const planned = steps.flatMap((step, index) => {
    for (const { openedMs, endMs } of episodes) {
      const times = timesOf(step, openedMs, Math.min(endMs + resolveAfterMs, limitMs))
      if (times.length > 0)
        return times.flatMap(atMs => step.targets.map(targetId => ({ atMs, step: index + 1, targetId })))
    }
    return []
  })
  return planned.toSorted((a, b) => a.atMs - b.atMs || a.step - b.step).slice(0, maxNotices)
}

/** Returns the instants of a step that counts from `fromMs`, before `untilMs`. */
function timesOf({ afterMs, repeatMs }: AlertStep, fromMs: number, untilMs: number): readonly number[] {
  const times: number[] = []
  const lastRepeat = repeatMs === null ? 0 : maxRepeats
  for (let repeat = 0; repeat <= lastRepeat; repeat++) {
    const atMs = fromMs + afterMs + repeat * (repeatMs ?? 0)
    if (atMs >= untilMs) break
    times.push(atMs)
  }
  return times
}
