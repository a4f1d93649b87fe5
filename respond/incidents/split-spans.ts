import { joinEpisodes, type Span } from '../spans/spans.ts'
import { findSpan } from './assign-spans.ts'
import type { KnownIncident } from './incident-change.ts'

/**
 * Returns the starts of the episodes, UTC ms, with which other incidents begin than those that a user resolved: of the
 * first episode of each span that opens at or after the resolution. Only incidents with the cause `condition` reopen.
 */
export function findSplits(spans: readonly Span[], resolvedByUser: readonly KnownIncident[]): ReadonlySet<number> {
  return new Set(
    resolvedByUser.flatMap(incident => {
      const later = findSpan(incident, spans)?.episodes.slice(1) ?? []
      return later.find(({ openedMs }) => openedMs >= (incident.resolvedMs ?? Infinity))?.startMs ?? []
    }),
  )
}

/** Splits spans at the starts of episodes, UTC ms. */
export function splitSpans(spans: readonly Span[], splits: ReadonlySet<number>): readonly Span[] {
  if (splits.size === 0) return spans
  return spans.flatMap(({ episodes }) => joinEpisodes(episodes, ({ startMs }) => !splits.has(startMs)))
}
