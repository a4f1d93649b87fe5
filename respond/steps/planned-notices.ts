import { type AlertStep, maxRepeats } from '../../schema/records/alert-rule.ts'
import type { Episode, Span } from '../spans/spans.ts'

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
    const start = findStart(step, episodes, resolveAfterMs, limitMs)
    const times = start ? timesOf(step, start.openedMs, endOfSteps(start, resolveAfterMs, limitMs)) : []
    return times.flatMap(atMs => step.targets.map(targetId => ({ atMs, step: index + 1, targetId })))
  })
  return planned.toSorted((a, b) => a.atMs - b.atMs || a.step - b.step).slice(0, maxNotices)
}

/** Returns the episodes in which steps start, in order: the notices of an incident depend on no others. */
export function startingEpisodes(
  steps: readonly AlertStep[],
  { episodes }: Pick<Span, 'episodes'>,
  resolveAfterMs: number,
  limitMs: number,
): readonly Episode[] {
  const starting = new Set(steps.map(step => findStart(step, episodes, resolveAfterMs, limitMs)))
  return episodes.filter(episode => starting.has(episode))
}

/** Finds the first episode that lasts until a step is due. */
function findStart(
  { afterMs }: AlertStep,
  episodes: readonly Episode[],
  resolveAfterMs: number,
  limitMs: number,
): Episode | undefined {
  return episodes.find(episode => episode.openedMs + afterMs < endOfSteps(episode, resolveAfterMs, limitMs))
}

function endOfSteps({ endMs }: Episode, resolveAfterMs: number, limitMs: number): number {
  return Math.min(endMs + resolveAfterMs, limitMs)
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
