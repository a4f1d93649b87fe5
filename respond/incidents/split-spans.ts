import { type Episode, joinEpisodes, type Span } from '../spans/spans.ts'
import { findSpan } from './assign-spans.ts'
import type { KnownIncident } from './incident-change.ts'

/**
 * Returns the starts of the episodes, UTC ms, with which other incidents begin than those that a user resolved: of the
 * first episode of each span that opens at or after the resolution. Only incidents with the cause `condition` reopen.
 */
export function findSplits(
  spans: readonly Span[],
  resolvedByUser: readonly KnownIncident[],
  activeFromMs: number,
): ReadonlySet<number> {
  return new Set(
    resolvedByUser.flatMap(incident => {
      const episodes = findSpan(incident, spans)?.episodes ?? []
      const { resolvedMs } = incident
      const index = episodes.findIndex(({ openedMs }, at) => at > 0 && openedMs >= (resolvedMs ?? Infinity))
      const [before, next] = [episodes[index - 1], episodes[index]]
      return before && next && !isSucceeded(incident, before, activeFromMs) ? next.startMs : []
    }),
  )
}

/** Whether the rest of an episode is another incident: a change of the rule ended the first one within the episode. */
function isSucceeded({ openedMs, endedMs }: KnownIncident, { endMs }: Episode, activeFromMs: number): boolean {
  return openedMs < activeFromMs && endedMs <= activeFromMs && endedMs < endMs
}

/** Splits spans at the starts of episodes, UTC ms. */
export function splitSpans(spans: readonly Span[], splits: ReadonlySet<number>): readonly Span[] {
  if (splits.size === 0) return spans
  return spans.flatMap(({ episodes }) => joinEpisodes(episodes, ({ startMs }) => !splits.has(startMs)))
}
