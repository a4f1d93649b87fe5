import {
  type AlertCondition,
  type AlertKind,
  kindOf,
  limitOf,
  type StopReason,
  type SystemCheck,
} from '../../../schema/records/alert-condition.ts'
import type { alertRuleInput } from '../../../schema/records/alert-rule.ts'
import type { Status } from '../../../schema/document.ts'
import type { Infer } from '../../../schema/types.ts'
import type { ShownRule } from './rule-sentence.ts'

export type RuleInput = Infer<typeof alertRuleInput>

/** Values of the form of a rule. Durations in ms; the form shows minutes. Without groups or targets, their fields are left out. */
export interface RuleForm {
  readonly name: string
  readonly severity: ShownRule['severity']
  readonly kind: AlertKind
  readonly groups?: readonly string[]
  readonly reasons: readonly string[]
  readonly statuses: readonly Status[]
  readonly codes?: string | undefined
  readonly calls: readonly string[]
  readonly check: SystemCheck
  readonly above?: number | undefined
  readonly forMs?: number | undefined
  readonly scheduled: boolean
  readonly notify?: readonly string[]
  readonly alsoAfterMs?: number | undefined
  readonly also?: readonly string[]
}

/** Returns the values that the form shows for a rule. */
export function formOf({ name, severity, condition, subject, forMs, when, steps }: ShownRule): RuleForm {
  const [first, second] = steps
  const { stop, status, alarm, call, system, above }: Partial<Merged> = condition
  return {
    name,
    severity,
    kind: kindOf(condition),
    groups: subject.machineGroupIds,
    reasons: (stop?.reasons ?? []).map(String),
    statuses: status ?? [],
    codes: alarm?.nativeCodes.join(', ') ?? '',
    calls: call ?? [],
    check: system ?? 'lag',
    above,
    forMs,
    scheduled: when.scheduled === true,
    notify: first?.targets ?? [],
    alsoAfterMs: second?.afterMs,
    also: second?.targets ?? [],
  }
}

/** All members of the conditions. */
type Merged = UnionToIntersection<AlertCondition>
type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never

/** Minimum duration of the condition `silent`, ms. */
const minSilentMs = 60_000
const defaultEscalationMs = 20 * 60_000

/** Returns the body of the request that stores a form; members that the form does not show stay as in `before`. */
export function ruleOf(form: RuleForm, before: ShownRule | null): RuleInput {
  const {
    name,
    severity,
    kind,
    groups = [],
    forMs = 0,
    scheduled,
    notify = [],
    also = [],
    alsoAfterMs = defaultEscalationMs,
  } = form
  const { id: _, activeFrom: __, ...kept } = before ?? { id: '', activeFrom: '' }
  const isOfMachine = kind !== 'connector' && kind !== 'system'
  const when = { shifts: [], days: [], ...before?.when }
  const [first, second, ...others] = before?.steps ?? []
  return {
    ...kept,
    name,
    severity,
    condition: conditionOf(form, before),
    subject: isOfMachine
      ? { machineIds: before?.subject.machineIds ?? [], machineGroupIds: [...groups], connectorIds: [] }
      : { machineIds: [], machineGroupIds: [], connectorIds: before?.subject.connectorIds ?? [] },
    forMs: kind === 'call' ? 0 : kind === 'silent' ? Math.max(forMs, minSilentMs) : forMs,
    when: isOfMachine
      ? { ...when, scheduled: scheduled || (before?.when.scheduled === false ? false : null) }
      : { ...when, shifts: [], scheduled: null },
    steps: [
      ...(notify.length === 0 ? [] : [{ afterMs: 0, until: 'acknowledged' as const, ...first, targets: [...notify] }]),
      ...(also.length === 0
        ? []
        : [{ until: 'acknowledged' as const, ...second, afterMs: alsoAfterMs, targets: [...also] }]),
      ...others,
    ],
  }
}

function conditionOf(form: RuleForm, before: ShownRule | null): AlertCondition {
  const { kind, reasons, statuses, codes = '', calls, check, above } = form
  const alarm = before !== null && 'alarm' in before.condition ? before.condition.alarm : { states: [], text: '' }
  if (kind === 'stop') return { stop: { reasons: reasons.map(reasonOf) } }
  if (kind === 'status') return { status: statuses }
  if (kind === 'silent') return { silent: true }
  if (kind === 'alarm') return { alarm: { ...alarm, nativeCodes: partsOf(codes) } }
  if (kind === 'call') return { call: calls }
  if (kind === 'connector') return { connector: 'disconnected' }
  return { system: check, ...(above !== undefined && limitOf({ system: check }) !== null && { above }) }
}

/** Returns the parts of a text that are separated by commas. */
export function partsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

function reasonOf(reason: string): StopReason {
  return reason === 'setup' || reason === 'uncategorized' ? reason : Number(reason)
}
