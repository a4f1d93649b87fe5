import { type Episode, joinEpisodes, type Span } from '../spans/spans.ts'
import { findSpan } from './assign-spans.ts'
import type { KnownIncident } from './incident-change.ts'

/**
 * Splits the spans of incidents that a user resolved, at the first episode that starts at or after the end of the incident:
 * only incidents with the cause `condition` reopen. The end of an incident without an end is later than `evaluatedToMs`,
 * the limit of the last evaluation.
 */
export function splitSpans(
  spans: readonly Span[],
  resolvedByUser: readonly KnownIncident[],
  evaluatedToMs: number,
): readonly Span[] {
  const firstEpisodes = new Set<Episode>()
  for (const incident of resolvedByUser) {
    const span = findSpan(incident, spans)
    const next = span && findNext(span, incident, evaluatedToMs)
    if (next) firstEpisodes.add(next)
  }
  if (firstEpisodes.size === 0) return spans
  return spans.flatMap(({ episodes }) => joinEpisodes(episodes, episode => !firstEpisodes.has(episode)))
}

/** Returns the first episode after an incident, if the incident has an earlier episode of the span. */
function findNext({ episodes }: Span, incident: KnownIncident, evaluatedToMs: number): Episode | undefined {
  const endMs = incident.endedMs === Infinity ? evaluatedToMs : incident.endedMs
  const index = episodes.findIndex(({ startMs }, index) => index > 0 && startMs >= endMs)
  const previous = episodes[index - 1]
  return previous && previous.endMs > incident.startedMs ? episodes[index] : undefined
}
