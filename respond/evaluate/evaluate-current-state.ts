import type { Calendar } from '../../processors/calendar/types.ts'
import type { IncidentChangeInput } from '../../schema/commands/incident-commands.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { IncidentRecord, IncidentSubject } from '../../schema/records/incident.ts'
import { dayMs } from '../../shared/time/units.ts'
import type { IncidentChange, KnownIncident } from '../incidents/incident-change.ts'
import { matchIncidents } from '../incidents/match-incidents.ts'
import { resolveAll } from '../incidents/resolve-all.ts'
import { intersectIntervals, type Interval, joinIntervals } from '../intervals/interval.ts'
import { countedDays } from '../spans/counted-time.ts'
import { buildSpans } from '../spans/spans.ts'
import { toInputs } from './evaluated-machine.ts'
import { endOthers } from './evaluate-machine.ts'
import { findSteps, openWithSteps } from './incident-steps.ts'
import { toKnown } from './known-incident.ts'
import type { ObservedHolds } from './current-holds.ts'

/** Inputs of the evaluation of a subject of which only the current state is known. Instants are UTC ms. */
export interface CurrentStateInputs {
  readonly subject: IncidentSubject
  /** The enabled rules of the subject. */
  readonly rules: readonly AlertRuleRecord[]
  /** Incidents of the subject, of any rule. */
  readonly incidents: readonly IncidentRecord[]
  /** Whether the subject exists and is enabled. */
  readonly isEnabled: boolean
  readonly observed: ObservedHolds | null
  readonly detail: IncidentRecord['detail']
  readonly calendar: Pick<Calendar, 'bucketsOf'>
  /** Whether incidents may open. */
  readonly mayOpen: boolean
  /** Start of the time whose settled incidents are in memory. */
  readonly settledFromMs: number
  readonly clockMs: number
}

/** Oldest time that counts for the days of a rule: `forMs` is at most 7 days, on one day of each week. */
const maxCountedMs = 60 * dayMs

/** Returns the changes of the incidents of a subject, with the steps that are due; none before its state is known. */
export function evaluateCurrentState(inputs: CurrentStateInputs): readonly IncidentChangeInput[] {
  const { rules, incidents, isEnabled, observed, clockMs } = inputs
  if (!isEnabled) {
    const holdEndMs = observed === null || observed.current.holds ? Infinity : observed.current.sinceMs
    return toInputs(resolveAll(incidents.map(toKnown), 'subject', clockMs, holdEndMs), incidents)
  }
  if (observed === null) return []
  return [...endOthers(inputs).changes, ...rules.flatMap(rule => evaluateRule(rule, observed, inputs))]
}

function evaluateRule(
  rule: AlertRuleRecord,
  observed: ObservedHolds,
  { subject, incidents, detail, calendar, mayOpen, settledFromMs, clockMs }: CurrentStateInputs,
): readonly IncidentChangeInput[] {
  const ofRule = incidents.filter(({ ruleId }) => ruleId === rule.id)
  const known = ofRule.map(toKnown)
  const holds = joinIntervals([...sinceEnabled(observed, known), ...known.map(incident => holdOf(incident, observed))])
  const startMs = Math.max(clockMs - maxCountedMs, holds[0]?.startMs ?? clockMs)
  const counted = countedDays(rule.when.days, { startMs, endMs: clockMs + 1 }, calendar)
  const activeFromMs = Date.parse(rule.activeFrom)
  const changes = matchIncidents({
    incidents: known,
    spans: buildSpans(rule, holds, counted, activeFromMs, clockMs),
    spansWithoutActiveFrom: buildSpans(rule, holds, counted, -Infinity, clockMs),
    activeFromMs,
    limitMs: clockMs,
    fromMs: settledFromMs,
    evaluatedToMs: -Infinity,
    lateMs: 0,
    clockMs,
    mayOpen,
    downs: [],
    recordChangedMs: null,
  })
  const upToNow = { clockMs, limitMs: clockMs, lateMs: 0 }
  const opened = changes.flatMap(change =>
    change.type === 'open' ? openWithSteps(rule, change.span, subject, detail, upToNow) : [],
  )
  const steps = findSteps(rule, ofRule, upToNow)
  return [
    ...toInputs(
      changes.map(change => countReopening(change, known)),
      ofRule,
    ),
    ...opened,
    ...steps.changes,
  ]
}

/** Observed holds since the subject was last enabled: they are not part of incidents from before. */
function sinceEnabled({ intervals }: ObservedHolds, known: readonly KnownIncident[]): readonly Interval[] {
  const disabledMs = known.filter(({ cause }) => cause === 'subject').map(({ endedMs }) => endedMs)
  return intersectIntervals(intervals, [{ startMs: Math.max(-Infinity, ...disabledMs) + 1, endMs: Infinity }])
}

/** After a restart, the former reopenings of an incident are not known as episodes. */
function countReopening(change: IncidentChange, known: readonly KnownIncident[]): IncidentChange {
  if (change.type !== 'resume') return change
  const before = known.find(({ id }) => id === change.id)?.reopened ?? 0
  return { ...change, times: { ...change.times, reopened: Math.max(change.times.reopened, before + 1) } }
}

/** Returns the hold of an incident. After a restart, only the incident contains when its condition began to hold. */
function holdOf({ state, startedMs, endedMs }: KnownIncident, observed: ObservedHolds): Interval {
  if (state === 'retracted') return { startMs: startedMs, endMs: startedMs }
  if (endedMs < Infinity) return { startMs: startedMs, endMs: endedMs }
  const { current, firstBreakMs, intervals } = observed
  const seen = intervals.find(({ endMs }) => endMs > startedMs)
  const lastMs = seen ? seen.endMs : current.holds ? Infinity : current.sinceMs
  const endMs = firstBreakMs !== null && firstBreakMs > startedMs ? firstBreakMs : lastMs
  return { startMs: startedMs, endMs: Math.max(endMs, startedMs + 1) }
}
