import type { MachineCondition } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { instantText } from '../../shared/time/instant.ts'
import { dayMs, minuteMs } from '../../shared/time/units.ts'
import { machineHolds } from '../holds/machine-holds.ts'
import { horizonMs } from '../incidents/evaluation.ts'
import { isUnresolved } from '../incidents/incident-change.ts'
import { resolveAll } from '../incidents/resolve-all.ts'
import type { Interval } from '../intervals/interval.ts'
import { machineGaps } from '../spans/machine-gaps.ts'
import { type EvaluatedMachine, joinResults, toInputs } from './evaluated-machine.ts'
import { evaluateRule, type RuleInputs } from './evaluate-rule.ts'
import { findSteps } from './incident-steps.ts'
import { toKnown } from './known-incident.ts'
import { findNeededActivity, longSilences } from './needed-activity.ts'
import { neverDue } from './partition-evaluation.ts'
import type { MachineRule } from './rules-of-machine.ts'

/** Inputs of the evaluation of a machine. Instants are UTC ms. */
export interface MachineInputs extends RuleInputs {
  /** The enabled rules of the machine. */
  readonly rules: readonly MachineRule[]
  readonly callRules: readonly Pick<AlertRuleRecord, 'id' | 'steps'>[]
  /** Incidents of the machine, of any rule. */
  readonly incidents: readonly IncidentRecord[]
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
  const holdsOf = new Map<MachineCondition, Holds>()
  let neededFromMs = inputs.fromMs
  let neededActivityMs = inputs.activityFromMs
  for (const rule of inputs.rules) {
    const result =
      'silent' in rule.condition
        ? evaluateSilence(rule, of)
        : evaluateDocuments(
            rule,
            getOrCreate(holdsOf, rule.condition, () => findHolds(rule.condition, inputs)),
            byRule.get(rule.id) ?? [],
            inputs,
          )
    if ('changes' in result) results.push(result)
    else {
      neededFromMs = Math.min(neededFromMs, result.neededFromMs)
      neededActivityMs = Math.min(neededActivityMs, result.neededActivityMs)
    }
  }
  const isEnough = neededFromMs === inputs.fromMs && neededActivityMs === inputs.activityFromMs
  return isEnough ? joinResults(results) : { neededFromMs, neededActivityMs }
}

/** Hold intervals of a condition, and the length of the longest one, ms. */
interface Holds {
  readonly holds: readonly Interval[]
  readonly longestMs: number
}

function findHolds(condition: MachineCondition, inputs: MachineInputs): Holds {
  const holds = machineHolds(condition, inputs)
  return { holds, longestMs: holds.reduce((ms, { startMs, endMs }) => Math.max(ms, endMs - startMs), 0) }
}

function evaluateDocuments(
  rule: MachineRule,
  { holds, longestMs }: Holds,
  incidents: readonly IncidentRecord[],
  inputs: MachineInputs,
): EvaluatedMachine | NeededHistory {
  const neededFromMs = findNeededStart(rule, holds, incidents, inputs)
  if (neededFromMs < inputs.fromMs) return { neededFromMs, neededActivityMs: inputs.activityFromMs }
  // No hold is long enough to open an incident.
  if (longestMs <= rule.forMs && incidents.length === 0) return { changes: [], next: neverDue }
  return evaluateRule(rule, holds, incidents, inputs)
}

/** Live lag from which on evaluations are behind, ms: silence opens no incident, because the samples may be late. */
export const behindMs = 15_000

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
    mayOpen: inputs.mayOpen && clockMs - limitMs < behindMs,
  })
  // Only a silence that lasts is postponed by further samples.
  const hasEnd = holds.some(({ endMs }) => endMs >= limitMs && endMs < Infinity)
  if (hasEnd || incidents.some(isUnresolved)) return evaluated
  const { limitMs: silentMs, ...next } = evaluated.next
  return { ...evaluated, next: { ...next, limitMs: Infinity, silentMs, silentForMs: rule.forMs } }
}

/** Ends calls at the end of the machine's time; before, returns their due steps. Calls of other rules stay. */
function evaluateCalls(inputs: MachineInputs): EvaluatedMachine {
  const { incidents, callRules, commissioned, clockMs } = inputs
  const calls = incidents.filter(({ kind, state }) => kind === 'call' && (state === 'open' || state === 'acknowledged'))
  if (calls.length === 0) return { changes: [], next: neverDue }
  if (commissioned.endMs <= clockMs) {
    const ended = calls.map(toKnown).flatMap(call => {
      const atMs = Math.max(call.startedMs, commissioned.endMs)
      return resolveAll([call], 'subject', atMs, Infinity)
    })
    return { changes: toInputs(ended, calls), next: neverDue }
  }
  const ofRules = callRules.map(rule =>
    findSteps(
      rule,
      calls.filter(({ ruleId }) => ruleId === rule.id),
      inputs,
    ),
  )
  return joinResults([...ofRules, { changes: [], next: { ...neverDue, clockMs: commissioned.endMs } }])
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
  return { changes: toInputs(changes, others), next: neverDue }
}

/** Oldest start of a history, before the limit: longer than what may still change. */
export const maxHistoryMs = horizonMs + dayMs

/** Shortest time by which a history is made longer, ms. */
const minExtensionMs = 10 * minuteMs

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
  const first = holds.find(({ endMs }) => endMs > fromMs)
  const lengthMs = Math.max(minExtensionMs, limitMs - fromMs)
  const ofHolds = first && first.startMs < fromMs + joinedMs ? fromMs - lengthMs - joinedMs : fromMs
  const ofIncidents = incidents
    .map(toKnown)
    .filter(({ state, startedMs, endedMs }) => state !== 'retracted' && endedMs > fromMs && startedMs <= fromMs)
    .map(({ startedMs }) => startedMs - 1)
  return Math.min(fromMs, Math.max(earliestMs, Math.min(ofHolds, ...ofIncidents)))
}
