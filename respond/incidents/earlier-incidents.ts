import { type Interval, joinIntervals } from '../intervals/interval.ts'
import type { Span } from '../spans/spans.ts'
import { assignSpans, findSpan } from './assign-spans.ts'
import { endIncident } from './end-incident.ts'
import { type Evaluation, matchedFromMs } from './evaluation.ts'
import { hasNoEnd, type IncidentChange, isUnresolved, type KnownIncident } from './incident-change.ts'
import { updateIncident } from './update-incident.ts'

/** The results for the incidents from before the last change of the rule. */
export interface EarlierIncidents {
  readonly changes: readonly IncidentChange[]
  /** Times of these incidents after the changes, joined. A span that opens within them is not another incident. */
  readonly covered: readonly Interval[]
  readonly merged: readonly KnownIncident[]
}

/**
 * Follows the incidents from before the last change of the rule that ended after it, or have no end: those whose condition
 * does not hold any more are resolved. Those that ended before the change stay.
 */
export function followEarlier(earlier: readonly KnownIncident[], evaluation: Evaluation): EarlierIncidents {
  const { spansWithoutActiveFrom } = evaluation
  const ended = earlier.filter(incident => !isFollowed(incident, evaluation))
  const followed = earlier.filter(incident => isFollowed(incident, evaluation))
  const later = followed.filter(incident => opensAfterSpan(incident, spansWithoutActiveFrom))
  const others = followed.filter(incident => !later.includes(incident))
  const { kept, merged, withoutSpan } = assignSpans(others, spansWithoutActiveFrom)
  // The cause `rule` ends an incident by the clock, which may be later than the opening of a span of the changed rule.
  const staying = ended.filter(({ cause }) => cause !== 'rule')
  return {
    changes: [
      ...[...withoutSpan, ...later].filter(hasNoEnd).map(incident => endByRule(incident, evaluation)),
      ...merged.map(({ incident, into }) => endMerged(incident, into, evaluation)),
      ...kept.flatMap(({ incident, span }) => updateIncident(incident, span, matchedFromMs(evaluation))),
    ],
    covered: joinIntervals([
      ...kept.map(({ span }) => span),
      ...staying.map(({ startedMs, endedMs }) => ({ startMs: startedMs, endMs: endedMs })),
    ]),
    merged: merged.map(({ incident }) => incident),
  }
}

function isFollowed({ endedMs, cause }: KnownIncident, { activeFromMs }: Evaluation): boolean {
  return endedMs > activeFromMs && cause !== 'rule' && cause !== 'subject'
}

/**
 * Whether an incident opened, within its hold, after its span had ended: a former version of the rule covered more. Its span would end
 * the incident before it opened.
 */
function opensAfterSpan(incident: KnownIncident, spansWithoutActiveFrom: readonly Span[]): boolean {
  const span = findSpan(incident, spansWithoutActiveFrom)
  return span !== undefined && span.endMs <= incident.openedMs
}

function endMerged(incident: KnownIncident, into: KnownIncident, evaluation: Evaluation): IncidentChange {
  if (hasNoEnd(incident)) return endByRule(incident, evaluation)
  return { type: 'retract', id: incident.id, mergedInto: into.id }
}

/** An incident that a user resolved ends with the former rule. */
function endByRule(incident: KnownIncident, { activeFromMs, clockMs }: Evaluation): IncidentChange {
  return endIncident(incident, isUnresolved(incident) ? clockMs : activeFromMs, 'rule')
}
