import type { IncidentRecord } from '../../schema/records/incident.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { type HoldInputs, machineHolds } from '../holds/machine-holds.ts'
import type { Evaluation } from '../incidents/evaluation.ts'
import type { IncidentChange } from '../incidents/incident-change.ts'
import { matchIncidents } from '../incidents/match-incidents.ts'
import type { Interval } from '../intervals/interval.ts'
import { countedTime, type CountedTimeInputs } from '../spans/counted-time.ts'
import { buildSpans } from '../spans/spans.ts'
import { type EvaluatedMachine, joinResults, toInputs } from './evaluated-machine.ts'
import { findSteps, openWithSteps } from './incident-steps.ts'
import type { MachineActivity } from './known-activity.ts'
import { toKnown } from './known-incident.ts'
import { openingDetail } from './opening-detail.ts'
import { neverDue } from './partition-evaluation.ts'
import type { MachineRule } from './rules-of-machine.ts'

/** Inputs that the rules of a machine share. Instants are UTC ms. */
export interface RuleInputs
  extends
    HoldInputs,
    MachineActivity,
    Pick<CountedTimeInputs, 'shiftIds' | 'calendar' | 'gaps'>,
    Pick<Evaluation, 'limitMs' | 'evaluatedToMs' | 'lateMs' | 'clockMs' | 'mayOpen' | 'recordChangedMs'> {
  readonly machine: Pick<MachineRecord, 'id' | 'name'>
  /** Start of the history. */
  readonly fromMs: number
  /** The incidents that were settled at this instant or later are given. */
  readonly settledFromMs: number
}

/** Evaluates a rule of a machine, from all of its holds since the start of the history. */
export function evaluateRule(
  rule: MachineRule,
  holds: readonly Interval[],
  incidents: readonly IncidentRecord[],
  inputs: RuleInputs,
): EvaluatedMachine {
  const { history, limitMs, shiftIds, calendar, gaps } = inputs
  const activeFromMs = Date.parse(rule.activeFrom)
  const counted = countedTime(rule.when, rule.condition, { states: history.states, shiftIds, calendar, gaps })
  const isStopWithReasons = 'stop' in rule.condition && rule.condition.stop.reasons.length > 0
  const spans = buildSpans(rule, holds, counted, activeFromMs, limitMs)
  const isActiveBefore = activeFromMs <= (holds[0]?.startMs ?? Infinity)
  const matched = matchIncidents({
    ...inputs,
    fromMs: Math.max(inputs.fromMs, inputs.settledFromMs),
    incidents: incidents.map(toKnown),
    spans,
    spansWithoutActiveFrom: isActiveBefore ? spans : buildSpans(rule, holds, counted, -Infinity, limitMs),
    activeFromMs,
    downs: isStopWithReasons ? machineHolds({ stop: { reasons: [] } }, inputs) : [],
  })
  const changes = matched.map(change => causedByLeaving(change, inputs.commissioned))
  const subject = { type: 'machine', id: inputs.machine.id, name: inputs.machine.name } as const
  const detailAt = (openedMs: number) => openingDetail(rule.condition, history, openedMs)
  const opened = changes.flatMap(change =>
    change.type === 'open' ? openWithSteps(rule, change.span, subject, detailAt(change.span.openedMs), inputs) : [],
  )
  const matching: EvaluatedMachine = {
    changes: [...toInputs(changes, incidents), ...opened],
    next: { ...neverDue, limitMs: findNextMs(rule, holds, counted, activeFromMs, limitMs) },
  }
  return joinResults([matching, findSteps(rule, incidents, inputs)])
}

/** A hold that ends with the time of the machine does not end by its condition. */
function causedByLeaving(change: IncidentChange, { endMs }: Interval): IncidentChange {
  if (change.type !== 'resolve' || change.cause !== 'condition' || change.resolvedMs !== endMs) return change
  return { ...change, cause: 'subject' }
}

/** Returns the first limit at which an incident opens, or ends with a hold or a break, that the history already determines. */
function findNextMs(
  rule: MachineRule,
  holds: readonly Interval[],
  counted: readonly Interval[],
  activeFromMs: number,
  limitMs: number,
): number {
  const spans = buildSpans(rule, holds, counted, activeFromMs, Infinity)
  const instants = spans.flatMap(({ episodes }) =>
    episodes.flatMap(({ openedMs, endMs }) => [openedMs, endMs, endMs + rule.resolveAfterMs]),
  )
  // At a limit, only what was before it is known.
  return Math.min(Infinity, ...instants.filter(ms => ms >= limitMs).map(ms => ms + 1))
}
