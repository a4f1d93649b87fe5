import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { Interval } from '../intervals/interval.ts'
import { findOpening } from './find-opening.ts'

/** A qualifying interval with the holds that follow after short breaks. */
export interface Episode extends Interval {
  readonly openedMs: number
}

/** One incident as the data contain it: its first episode, and those that reopen it. */
export interface Span extends Interval {
  /** Opening of the first episode. */
  readonly openedMs: number
  readonly episodes: readonly Episode[]
}

/** The fields of a rule that decide its spans. */
export type SpanRule = Pick<AlertRuleRecord, 'condition' | 'forMs' | 'resolveAfterMs' | 'quietMs'>

/**
 * Returns the spans of the holds of a subject, as far as they are known before `limitMs`: later holds are ignored, and a
 * hold or break that lasts until `limitMs` has the end Infinity. `holds` and `counted` are in order and disjoint.
 */
export function buildSpans(
  rule: SpanRule,
  holds: readonly Interval[],
  counted: readonly Interval[],
  activeFromMs: number,
  limitMs: number,
): readonly Span[] {
  const episodes = buildEpisodes(rule, cutAt(holds, limitMs), counted, activeFromMs)
  const known = episodes.filter(({ openedMs }) => openedMs < limitMs)
  const last = known.at(-1)
  if (last && limitMs < last.endMs + rule.resolveAfterMs) known[known.length - 1] = { ...last, endMs: Infinity }
  return joinEpisodes(known, ({ startMs }, endMs) => startMs - endMs < rule.quietMs)
}

function cutAt(holds: readonly Interval[], limitMs: number): readonly Interval[] {
  return holds
    .filter(({ startMs }) => startMs < limitMs)
    .map(({ startMs, endMs }) => ({ startMs, endMs: endMs >= limitMs ? Infinity : endMs }))
}

function buildEpisodes(
  { condition, forMs, resolveAfterMs }: SpanRule,
  holds: readonly Interval[],
  counted: readonly Interval[],
  activeFromMs: number,
): Episode[] {
  const episodes: Episode[] = []
  // After a sample, a break lasts until the silence has again lasted forMs.
  const confirmMs = 'silent' in condition ? forMs : 0
  for (const hold of holds) {
    const last = episodes.at(-1)
    const resumesMs = hold.startMs + confirmMs
    if (last && resumesMs < hold.endMs && resumesMs - last.endMs < resolveAfterMs) {
      episodes[episodes.length - 1] = { ...last, endMs: hold.endMs }
      continue
    }
    const openedMs = findOpening(hold, counted, forMs, activeFromMs)
    if (openedMs !== null) episodes.push({ ...hold, openedMs })
  }
  return episodes
}

interface JoinedSpan extends Span {
  endMs: number
  readonly episodes: Episode[]
}

/** Returns the spans of episodes, which are in order: an episode belongs to the last span, which ends at `endMs`, if `isJoined`. */
export function joinEpisodes(
  episodes: readonly Episode[],
  isJoined: (episode: Episode, endMs: number) => boolean,
): readonly Span[] {
  const spans: JoinedSpan[] = []
  for (const episode of episodes) {
    const last = spans.at(-1)
    if (last && isJoined(episode, last.endMs)) {
      last.episodes.push(episode)
      last.endMs = episode.endMs
    } else spans.push({ ...episode, episodes: [episode] })
  }
  return spans
}
