import type { MachineCondition } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import { type HoldInputs, machineHolds } from '../holds/machine-holds.ts'
import type { Interval } from '../intervals/interval.ts'
import { countedTime, type CountedTimeInputs } from '../spans/counted-time.ts'
import { buildSpans, type Span } from '../spans/spans.ts'

/** A rule to try: stored or not. */
export type TriedRule = Pick<AlertRuleRecord, 'forMs' | 'when' | 'resolveAfterMs' | 'quietMs'> & {
  readonly condition: MachineCondition
}

/** History of a machine in [fromMs, limitMs), UTC ms. */
export interface TriedMachine extends HoldInputs, Pick<CountedTimeInputs, 'shiftIds' | 'calendar'> {
  readonly fromMs: number
  readonly limitMs: number
  /** Start of the machine's time, UTC ms: for `silent` not after its first sample, otherwise that of `commissioned`. */
  readonly beginsMs: number
}

/** Incidents of a machine. */
export interface TriedSpans {
  /** Incidents by opening; `endMs` Infinity: it holds at the limit. */
  readonly spans: readonly Span[]
  /** Whether a history that begins earlier may contain further incidents. */
  readonly isCut: boolean
}

/**
 * Returns the incidents that a rule would have opened in [startMs, limitMs), as if it had always been active. Incidents
 * that depend on time before the history are missing: their opening is not known.
 */
export function tryRule(rule: TriedRule, machine: TriedMachine, startMs: number): TriedSpans {
  const { history, shiftIds, calendar, limitMs } = machine
  const holds = machineHolds(rule.condition, machine)
  const counted = countedTime(rule.when, rule.condition, { states: history.states, shiftIds, calendar, gaps: [] })
  const knownFromMs = findKnownStart(rule, holds, machine)
  const spans = buildSpans(rule, holds, counted, -Infinity, limitMs)
  return {
    spans: spans.filter(span => span.openedMs >= startMs && span.startMs >= knownFromMs),
    isCut: knownFromMs > startMs,
  }
}

/**
 * Returns the instant from which on incidents do not depend on time before the history: until it, the condition holds
 * since the start of the history, or with breaks that an incident may contain.
 */
function findKnownStart(
  { condition, resolveAfterMs, quietMs }: TriedRule,
  holds: readonly Interval[],
  { activity, beginsMs, fromMs }: TriedMachine,
): number {
  if (beginsMs >= fromMs) return -Infinity
  const isSilence = 'silent' in condition
  const joinedMs = Math.max(resolveAfterMs, quietMs)
  // The time before the first sample may be silence.
  let knownFromMs = isSilence ? (activity[0]?.firstMs ?? Infinity) : fromMs
  for (const { startMs, endMs } of holds) {
    const isFirst = !isSilence && startMs <= fromMs
    if (!isFirst && startMs - knownFromMs >= joinedMs) break
    knownFromMs = Math.max(knownFromMs, endMs)
  }
  return knownFromMs
}
