import type { MachineCondition } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import { type HoldInputs, machineHolds } from '../holds/machine-holds.ts'
import { countedTime, type CountedTimeInputs } from '../spans/counted-time.ts'
import { buildSpans } from '../spans/spans.ts'
import { plannedNotices, type PlannedNotice } from '../steps/planned-notices.ts'

/** A rule to try: stored or not. */
export type TriedRule = Pick<AlertRuleRecord, 'forMs' | 'when' | 'steps' | 'resolveAfterMs' | 'quietMs'> & {
  readonly condition: MachineCondition
}

/** Inputs of a machine. The history begins before the holds that last at the start of the range, and `quietMs` earlier. */
export type TriedMachine = HoldInputs & Pick<CountedTimeInputs, 'shiftIds' | 'calendar'>

/** An incident that a rule would have opened, UTC ms. `endedMs` null: it holds at the end of the range. */
export interface TriedIncident {
  readonly startedMs: number
  readonly openedMs: number
  readonly endedMs: number | null
  readonly notices: readonly PlannedNotice[]
}

/** Limits of a response: the first incidents, and their first notices, are returned. */
export interface TryLimits {
  readonly maxIncidents: number
  /** Limit of the notices of all incidents together. */
  readonly maxNotices: number
}

/**
 * Returns the incidents of a machine that a rule would have opened in `[startMs, endMs)`, by time, with their notices,
 * as if the rule had always been active and no incident had been acknowledged.
 */
export function tryRule(
  rule: TriedRule,
  machine: TriedMachine,
  startMs: number,
  endMs: number,
  { maxIncidents, maxNotices }: TryLimits,
): readonly TriedIncident[] {
  const { history, shiftIds, calendar } = machine
  const counted = countedTime(rule.when, rule.condition, { states: history.states, shiftIds, calendar, gaps: [] })
  const spans = buildSpans(rule, machineHolds(rule.condition, machine), counted, -Infinity, endMs)
  let remainingNotices = maxNotices
  const inRange = spans.filter(({ openedMs }) => openedMs >= startMs)
  return inRange.slice(0, maxIncidents).map(span => {
    const notices = plannedNotices(rule.steps, span, rule.resolveAfterMs, endMs, remainingNotices)
    remainingNotices -= notices.length
    const endedMs = span.endMs === Infinity ? null : span.endMs
    return { startedMs: span.startMs, openedMs: span.openedMs, endedMs, notices }
  })
}
