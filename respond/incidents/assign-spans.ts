import type { IncidentCause } from '../../schema/records/incident.ts'
import { firstEndingAfter } from '../intervals/interval.ts'
import type { Span } from '../spans/spans.ts'
import { isUnresolved, type KnownIncident } from './incident-change.ts'

/** The incident of each span. */
export interface Assignment {
  readonly kept: readonly { readonly incident: KnownIncident; readonly span: Span }[]
  readonly merged: readonly { readonly incident: KnownIncident; readonly into: KnownIncident }[]
  readonly withoutSpan: readonly KnownIncident[]
  readonly newSpans: readonly Span[]
}

/**
 * Assigns spans, which are in order, to the incidents that they overlap. Of several incidents of a span the unresolved
 * one stays, otherwise the earliest; the rest are merged into it. Of several spans an unresolved incident keeps the one
 * that holds, otherwise the earliest; the rest are new.
 */
export function assignSpans(incidents: readonly KnownIncident[], spans: readonly Span[]): Assignment {
  const bySpan = new Map<Span, KnownIncident[]>()
  const withoutSpan: KnownIncident[] = []
  for (const incident of incidents) {
    const span = findSpan(incident, spans)
    const found = span && bySpan.get(span)
    if (found) found.push(incident)
    else if (span) bySpan.set(span, [incident])
    else withoutSpan.push(incident)
  }
  const groups = [...bySpan].map(([span, found]) => ({ span, found, incident: stayingOf(found) }))
  return {
    kept: groups.map(({ incident, span }) => ({ incident, span })),
    merged: groups.flatMap(({ incident: into, found }) =>
      found.filter(incident => incident !== into).map(incident => ({ incident, into })),
    ),
    withoutSpan,
    newSpans: spans.filter(span => !bySpan.has(span)),
  }
}

/** Returns the span of an incident: for an unresolved one the span that holds, otherwise the earliest that it overlaps. */
export function findSpan(incident: KnownIncident, spans: readonly Span[]): Span | undefined {
  const last = spans.at(-1)
  if (isUnresolved(incident) && last?.endMs === Infinity && overlaps(last, incident)) return last
  const first = spans[firstEndingAfter(spans, incident.startedMs)]
  return first && overlaps(first, incident) ? first : undefined
}

function stayingOf(incidents: readonly KnownIncident[]): KnownIncident {
  const ordered = incidents.toSorted((a, b) => a.startedMs - b.startedMs || (a.id < b.id ? -1 : 1))
  const staying = ordered.find(isUnresolved) ?? ordered[0]
  if (!staying) throw new Error('Invariant: a group of incidents is not empty')
  return staying
}

/** Causes that end an incident while the condition may still hold. */
const cuttingCauses: ReadonlySet<IncidentCause | null> = new Set(['rule', 'subject', 'record'])

/**
 * Whether a span belongs to an incident. After an end by a change of rule, subject or record, a span that opens later is
 * another incident, even if its hold began before.
 */
function overlaps(span: Span, { startedMs, endedMs, cause }: KnownIncident): boolean {
  const fromMs = cuttingCauses.has(cause) ? span.openedMs : span.startMs
  return fromMs < endedMs && span.endMs > startedMs
}
