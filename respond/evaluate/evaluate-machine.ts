import { randomUUID } from 'node:crypto'
import type { IncidentChangeInput } from '../../schema/commands/incident-commands.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { IncidentRecord, IncidentSubject } from '../../schema/records/incident.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { instantText } from '../../shared/time/instant.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import { type HoldInputs, machineHolds } from '../holds/machine-holds.ts'
import { type Evaluation, horizonMs } from '../incidents/evaluation.ts'
import { type IncidentChange, isUnresolved } from '../incidents/incident-change.ts'
import { matchIncidents } from '../incidents/match-incidents.ts'
import { resolveAll } from '../incidents/resolve-all.ts'
import type { Interval } from '../intervals/interval.ts'
import { machineGaps } from '../spans/machine-gaps.ts'
import { countedTime, type CountedTimeInputs } from '../spans/counted-time.ts'
import { buildSpans, type Span } from '../spans/spans.ts'
import { dueSteps } from '../steps/due-steps.ts'
import { toInput, toKnown, toTimes } from './known-incident.ts'
import type { MachineActivity } from './known-activity.ts'
import { findNeededActivity, longSilences } from './needed-activity.ts'
import { openingDetail } from './opening-detail.ts'
import type { NextEvaluation } from './partition-evaluation.ts'
import type { MachineRule } from './rules-of-machine.ts'

/** Inputs of the evaluation of a machine. Instants are UTC ms. */
export interface MachineInputs
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
  /** The enabled rules of the machine. */
  readonly rules: readonly MachineRule[]
  readonly callRules: readonly Pick<AlertRuleRecord, 'id' | 'steps'>[]
  /** Incidents of the machine, of any rule. */
  readonly incidents: readonly IncidentRecord[]
}

/** Changes, and when the incidents change without further documents. */
export interface EvaluatedMachine {
  readonly changes: readonly IncidentChangeInput[]
  readonly next: NextEvaluation
}

/** Earlier starts of the history and of the activity that an evaluation needs, UTC ms. */
export interface NeededHistory {
  readonly neededFromMs: number
  readonly neededActivityMs: number
}

/**
 * Evaluates the rules of a machine. Returns the earlier starts of the history and the activity that are needed if the
 * given ones are too short: no hold, and no incident to match, may begin before them. Rules on silence wait until the
 * activity is known.
 */
export function evaluateMachine(of: MachineInputs): EvaluatedMachine | NeededHistory {
  const inputs = { ...of, incidents: incidentsToMatch(of) }
  const byRule = groupBy(inputs.incidents, ({ ruleId }) => ruleId)
  const results: EvaluatedMachine[] = [endOthers(inputs), evaluateCalls(inputs)]
  let neededFromMs = inputs.fromMs
  let neededActivityMs = inputs.activityFromMs
  for (const rule of inputs.rules) {
    const result =
      'silent' in rule.condition
        ? evaluateSilence(rule, of)
        : evaluateDocuments(rule, byRule.get(rule.id) ?? [], inputs)
    if ('changes' in result) results.push(result)
    else {
      neededFromMs = Math.min(neededFromMs, result.neededFromMs)
      neededActivityMs = Math.min(neededActivityMs, result.neededActivityMs)
    }
  }
  const isEnough = neededFromMs === inputs.fromMs && neededActivityMs === inputs.activityFromMs
  return isEnough ? joinResults(results) : { neededFromMs, neededActivityMs }
}

function evaluateDocuments(
  rule: MachineRule,
  incidents: readonly IncidentRecord[],
  inputs: MachineInputs,
): EvaluatedMachine | NeededHistory {
  const holds = machineHolds(rule.condition, inputs)
  const neededFromMs = findNeededStart(rule, holds, incidents, inputs)
  if (neededFromMs < inputs.fromMs) return { neededFromMs, neededActivityMs: inputs.activityFromMs }
  return evaluateRule(rule, holds, incidents, inputs)
}

/** Live lag from which on silence opens no incident, ms: the samples may be late. */
const maxSilenceLagMs = 15_000

/** Silences are known without documents, which contain only the scheduled time, the shifts and the days. */
function evaluateSilence(rule: MachineRule, inputs: MachineInputs): EvaluatedMachine | NeededHistory {
  const { activity, activityFromMs, gaps, clockMs, limitMs } = inputs
  const incidents = inputs.incidents.filter(({ ruleId }) => ruleId === rule.id)
  if (activityFromMs === Infinity) return findSteps(rule, incidents, inputs)
  const neededActivityMs = findNeededActivity(rule, incidents, inputs, limitMs, limitMs - maxHistoryMs)
  const { scheduled, shifts, days } = rule.when
  const needsStates = scheduled !== null || shifts.length > 0 || days.length > 0
  const firstMs = activity[0]?.firstMs ?? limitMs
  const fromMs = needsStates ? Math.max(inputs.fromMs, firstMs) : firstMs
  const holds = machineHolds(rule.condition, inputs).filter(({ endMs }) => endMs > fromMs)
  const neededFromMs = needsStates
    ? findNeededStart(rule, longSilences(rule, holds, limitMs), incidents, inputs)
    : inputs.fromMs
  if (neededActivityMs < activityFromMs || neededFromMs < inputs.fromMs) return { neededFromMs, neededActivityMs }
  const evaluated = evaluateRule(rule, holds, incidents, {
    ...inputs,
    fromMs,
    gaps: machineGaps(gaps, activity),
    mayOpen: inputs.mayOpen && clockMs - limitMs < maxSilenceLagMs,
  })
  // Only a silence that lasts is postponed by further samples.
  const hasEnd = holds.some(({ endMs }) => endMs >= limitMs && endMs < Infinity)
  if (hasEnd || incidents.some(isUnresolved)) return evaluated
  const { limitMs: silentMs, ...next } = evaluated.next
  return { ...evaluated, next: { ...next, limitMs: Infinity, silentMs, silentForMs: rule.forMs } }
}

function joinResults(results: readonly EvaluatedMachine[]): EvaluatedMachine {
  return {
    changes: results.flatMap(({ changes }) => changes),
    next: {
      limitMs: Math.min(...results.map(({ next }) => next.limitMs)),
      silentMs: Math.min(...results.map(({ next }) => next.silentMs)),
      silentForMs: Math.min(...results.map(({ next }) => next.silentForMs)),
      clockMs: Math.min(...results.map(({ next }) => next.clockMs)),
    },
  }
}

const never: NextEvaluation = { limitMs: Infinity, silentMs: Infinity, silentForMs: Infinity, clockMs: Infinity }

/** Ends calls at the end of the machine's time; before, returns their due steps. Calls of other rules stay. */
function evaluateCalls(inputs: MachineInputs): EvaluatedMachine {
  const { incidents, callRules, commissioned, clockMs } = inputs
  const calls = incidents.filter(({ kind, state }) => kind === 'call' && (state === 'open' || state === 'acknowledged'))
  if (calls.length === 0) return { changes: [], next: never }
  if (commissioned.endMs <= clockMs) {
    const ended = calls.map(toKnown).flatMap(call => {
      const atMs = Math.max(call.startedMs, commissioned.endMs)
      return resolveAll([call], 'subject', atMs, Infinity)
    })
    return { changes: toInputs(ended, calls), next: never }
  }
  const ofRules = callRules.map(rule =>
    findSteps(
      rule,
      calls.filter(({ ruleId }) => ruleId === rule.id),
      inputs,
    ),
  )
  return joinResults([...ofRules, { changes: [], next: { ...never, clockMs: commissioned.endMs } }])
}

/** Incidents that ended before the history overlap none of its spans: there may be thousands of them. */
function incidentsToMatch({ incidents, fromMs }: MachineInputs): readonly IncidentRecord[] {
  const fromAt = instantText(fromMs)
  return incidents.filter(({ endedAt }) => endedAt === null || endedAt > fromAt)
}

/** Ends the incidents of rules that do not apply any more. */
export function endOthers({
  rules,
  incidents,
  clockMs,
}: {
  readonly rules: readonly Pick<AlertRuleRecord, 'id'>[]
  readonly incidents: readonly IncidentRecord[]
  readonly clockMs: number
}): EvaluatedMachine {
  const ids = new Set(rules.map(({ id }) => id))
  const others = incidents.filter(({ ruleId, kind }) => ruleId !== null && kind !== 'call' && !ids.has(ruleId))
  const changes = resolveAll(others.map(toKnown), 'rule', clockMs, Infinity)
  return { changes: toInputs(changes, others), next: never }
}

/** Returns the changes of stored incidents. */
export function toInputs(
  changes: readonly IncidentChange[],
  incidents: readonly IncidentRecord[],
): readonly IncidentChangeInput[] {
  const byId = new Map(incidents.map(incident => [incident.id, incident]))
  return changes.flatMap(change => {
    if (change.type === 'open') return []
    const incident = byId.get(change.id)
    return incident ? [toInput(change, incident)] : []
  })
}

/** Oldest start of a history, before the limit: longer than what may still change. */
export const maxHistoryMs = horizonMs + dayMs

/** Returns the start of the history that a rule needs. */
function findNeededStart(
  { quietMs, resolveAfterMs }: MachineRule,
  holds: readonly Interval[],
  incidents: readonly IncidentRecord[],
  { fromMs, limitMs, commissioned }: MachineInputs,
): number {
  const earliestMs = Math.max(limitMs - maxHistoryMs, commissioned.startMs)
  if (fromMs <= earliestMs) return fromMs
  const joinedMs = Math.max(quietMs, resolveAfterMs)
  const [first] = holds
  const lengthMs = Math.max(hourMs, limitMs - fromMs)
  const ofHolds = first && first.startMs - fromMs <= joinedMs ? fromMs - lengthMs - joinedMs : fromMs
  const ofIncidents = incidents
    .map(toKnown)
    .filter(({ state, startedMs, endedMs }) => state !== 'retracted' && endedMs > fromMs && startedMs <= fromMs)
    .map(({ startedMs }) => startedMs - 1)
  return Math.min(fromMs, Math.max(earliestMs, Math.min(ofHolds, ...ofIncidents)))
}

function evaluateRule(
  rule: MachineRule,
  holds: readonly Interval[],
  incidents: readonly IncidentRecord[],
  inputs: MachineInputs,
): EvaluatedMachine {
  const { history, limitMs, shiftIds, calendar, gaps } = inputs
  const activeFromMs = Date.parse(rule.activeFrom)
  const counted = countedTime(rule.when, rule.condition, { states: history.states, shiftIds, calendar, gaps })
  const isStopWithReasons = 'stop' in rule.condition && rule.condition.stop.reasons.length > 0
  const matched = matchIncidents({
    ...inputs,
    fromMs: Math.max(inputs.fromMs, inputs.settledFromMs),
    incidents: incidents.map(toKnown),
    spans: buildSpans(rule, holds, counted, activeFromMs, limitMs),
    spansWithoutActiveFrom: buildSpans(rule, holds, counted, -Infinity, limitMs),
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
    next: { ...never, limitMs: findNextMs(rule, holds, counted, activeFromMs, limitMs) },
  }
  return joinResults([matching, findSteps(rule, incidents, inputs)])
}

/** A hold that ends with the time of the machine does not end by its condition. */
function causedByLeaving(change: IncidentChange, { endMs }: Interval): IncidentChange {
  if (change.type !== 'resolve' || change.cause !== 'condition' || change.resolvedMs !== endMs) return change
  return { ...change, cause: 'subject' }
}

/** Opens an incident. Its first steps are in the same command, which saves the time of a second one. */
export function openWithSteps(
  rule: AlertRuleRecord,
  { startMs: startedMs, openedMs, endMs: endedMs, episodes }: Span,
  subject: IncidentSubject,
  detail: IncidentRecord['detail'],
  { clockMs, limitMs, lateMs }: Pick<MachineInputs, 'clockMs' | 'limitMs' | 'lateMs'>,
): readonly IncidentChangeInput[] {
  const id = randomUUID()
  const opening: IncidentChangeInput = {
    type: 'open',
    id,
    ruleId: rule.id,
    activeFrom: rule.activeFrom,
    subject,
    detail,
    times: toTimes({ startedMs, openedMs, endedMs, reopened: episodes.length - 1 }),
  }
  if (endedMs !== Infinity || clockMs - limitMs > lateMs) return [opening]
  const progress = { detectedMs: clockMs, reopenedMs: null, isAcknowledged: false, notices: [] }
  const { due } = dueSteps(rule.steps, progress, clockMs)
  return [opening, ...due.map(({ step, repeat }) => ({ type: 'step', id, step, repeat }) as const)]
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

/** Returns the steps that are due. During a backlog none is, until the limit reaches the late time before the clock. */
export function findSteps(
  { steps }: Pick<AlertRuleRecord, 'steps'>,
  incidents: readonly IncidentRecord[],
  { clockMs, limitMs, lateMs }: Pick<MachineInputs, 'clockMs' | 'limitMs' | 'lateMs'>,
): EvaluatedMachine {
  const unresolved = incidents.filter(isUnresolved)
  if (unresolved.length === 0) return { changes: [], next: never }
  if (clockMs - limitMs > lateMs && unresolved.some(({ kind }) => kind !== 'call'))
    return { changes: [], next: { ...never, limitMs: clockMs - lateMs } }
  const found = unresolved.map((incident): EvaluatedMachine => {
    const { id, detectedAt, reopenedAt, state, notices } = incident
    const { due, nextMs } = dueSteps(
      steps,
      {
        detectedMs: Date.parse(detectedAt),
        reopenedMs: reopenedAt === null ? null : Date.parse(reopenedAt),
        isAcknowledged: state === 'acknowledged',
        notices: notices.map(({ step, repeat, at }) => ({ step, repeat, atMs: Date.parse(at) })),
      },
      clockMs,
    )
    return {
      changes: due.map(({ step, repeat }) => ({ type: 'step', id, step, repeat }) as const),
      next: { ...never, clockMs: nextMs ?? Infinity },
    }
  })
  return joinResults(found)
}
