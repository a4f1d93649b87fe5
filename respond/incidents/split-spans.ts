import { type Episode, joinEpisodes, type Span } from '../spans/spans.ts'
import { findSpan } from './assign-spans.ts'
import type { KnownIncident } from './incident-change.ts'

/**
 * Splits the spans of incidents that a user resolved, at the first episode that opens at or after the resolution: only
 * incidents with the cause `condition` reopen.
 */
export function splitSpans(spans: readonly Span[], resolvedByUser: readonly KnownIncident[]): readonly Span[] {
  const firstEpisodes = new Set<Episode>()
  for (const incident of resolvedByUser) {
    const span = findSpan(incident, spans)
    const next = span && findNext(span, incident)
    if (next) firstEpisodes.add(next)
  }
  if (firstEpisodes.size === 0) return spans
  return spans.flatMap(({ episodes }) => joinEpisodes(episodes, episode => !firstEpisodes.has(episode)))
}

/** Returns the first episode after an incident, if the incident has an earlier episode of the span. */
function findNext({ episodes }: Span, { startedMs, resolvedMs }: KnownIncident): Episode | undefined {
  const index = episodes.findIndex(({ openedMs }, index) => index > 0 && openedMs >= (resolvedMs ?? Infinity))
  const previous = episodes[index - 1]
  return previous && previous.endMs > startedMs ? episodes[index] : undefined
}
