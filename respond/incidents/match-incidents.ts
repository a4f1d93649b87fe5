import { firstEndingAfter, type Interval } from '../intervals/interval.ts'
import type { Span } from '../spans/spans.ts'
import { assignSpans } from './assign-spans.ts'
import { followEarlier } from './earlier-incidents.ts'
import { endIncident } from './end-incident.ts'
import { type Evaluation, horizonMs, matchedFromMs } from './evaluation.ts'
import { hasNoEnd, type IncidentChange, isUnresolved, type KnownIncident } from './incident-change.ts'
import { findSplits, splitSpans } from './split-spans.ts'
import { updateIncident } from './update-incident.ts'

/**
 * Returns the changes that make the incidents of a rule and subject equal to their spans. Pure; evaluated again with the
 * changed incidents, it returns none. At most one incident is unresolved if the changes are applied in order.
 */
export function matchIncidents(evaluation: Evaluation): readonly IncidentChange[] {
  let splitting = evaluation.incidents.filter(({ state, cause }) => state !== 'retracted' && cause === 'user')
  for (;;) {
    const { changes, merged } = matchSpans(withSplitSpans(evaluation, splitting))
    // A merged incident does not split the span of the incident that stays.
    const staying = splitting.filter(incident => !merged.has(incident))
    if (staying.length === splitting.length) return changes
    splitting = staying
  }
}

function withSplitSpans(evaluation: Evaluation, resolvedByUser: readonly KnownIncident[]): Evaluation {
  const { spans, spansWithoutActiveFrom, activeFromMs } = evaluation
  // The first episodes of an incident from before the change of the rule are missing in `spans`. Both are split at the
  // same instants: an incident that moves behind the change would otherwise move back in the next evaluation.
  const splits = findSplits(spansWithoutActiveFrom, resolvedByUser, activeFromMs)
  return {
    ...evaluation,
    spans: splitSpans(spans, splits),
    spansWithoutActiveFrom: splitSpans(spansWithoutActiveFrom, splits),
  }
}

interface Matched {
  readonly changes: readonly IncidentChange[]
  readonly merged: ReadonlySet<KnownIncident>
}

function matchSpans(evaluation: Evaluation): Matched {
  const { activeFromMs } = evaluation
  const oldestMs = matchedFromMs(evaluation)
  const incidents = evaluation.incidents.filter(({ state, endedMs }) => state !== 'retracted' && endedMs > oldestMs)
  const earlier = followEarlier(
    incidents.filter(({ openedMs }) => openedMs < activeFromMs),
    evaluation,
  )
  const current = incidents.filter(({ openedMs }) => openedMs >= activeFromMs)
  // The span of an incident without an end may be older: the evaluation may have stopped for longer.
  const fromMs = Math.min(oldestMs, ...current.filter(hasNoEnd).map(({ startedMs }) => startedMs))
  const spans = evaluation.spans.filter(span => span.endMs > fromMs)
  const others = spans.filter(span => !opensWithin(span, earlier.covered))
  const { kept, merged, withoutSpan, newSpans } = assignSpans(current, others)
  const changes = [
    ...withoutSpan.flatMap(incident => endWithoutSpan(incident, evaluation)),
    ...merged.map(({ incident: { id }, into }) => ({ type: 'retract', id, mergedInto: into.id }) as const),
    ...earlier.changes,
    ...kept.flatMap(({ incident, span }) => updateIncident(incident, span, oldestMs)),
    ...newSpans.filter(span => mayOpen(span, evaluation)).map(span => ({ type: 'open', span }) as const),
  ]
  return { changes, merged: new Set([...earlier.merged, ...merged.map(({ incident }) => incident)]) }
}

/**
 * Whether a span belongs to an incident from before the last change of the rule. A span that opens after the end of the
 * incident is another one, even if its hold began before: the changed rule may cover more.
 */
function opensWithin(span: Span, covered: readonly Interval[]): boolean {
  const interval = covered[firstEndingAfter(covered, span.openedMs)]
  return interval !== undefined && interval.startMs < span.endMs
}

/** A span that opened before an earlier limit is late: it opens only if it held shortly before the limit. */
function mayOpen(span: Span, { mayOpen, limitMs, evaluatedToMs, lateMs }: Evaluation): boolean {
  if (span.endMs <= limitMs - horizonMs) return false
  return mayOpen && (span.openedMs >= evaluatedToMs || span.endMs > limitMs - lateMs)
}

function endWithoutSpan(incident: KnownIncident, evaluation: Evaluation): readonly IncidentChange[] {
  const { downs, recordChangedMs, limitMs } = evaluation
  if (incident.cause === 'rule' || incident.cause === 'record') return []
  const { startedMs, endedMs } = incident
  const remaining = downs[firstEndingAfter(downs, startedMs)]
  if (!remaining || remaining.startMs > startedMs) return [{ type: 'retract', id: incident.id, mergedInto: null }]
  if (!isUnresolved(incident) && endedMs !== Infinity) return []
  const isChanged = recordChangedMs !== null && recordChangedMs > incident.detectedMs
  return [isChanged ? endIncident(incident, recordChangedMs, 'record') : endIncident(incident, limitMs, 'condition')]
}
