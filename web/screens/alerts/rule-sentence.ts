import { limitOf, type SystemCheck } from '../../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../../schema/records/alert-rule.ts'
import type { Texts } from '../../texts/en.ts'
import type { Format } from '../../texts/format.ts'

/** Names of the records that rules refer to, by id. */
export interface RuleNames {
  readonly machines: ReadonlyMap<string, string>
  readonly groups: ReadonlyMap<string, string>
  readonly connectors: ReadonlyMap<string, string>
  readonly shifts: ReadonlyMap<string, string>
  readonly reasons: ReadonlyMap<string, string>
  readonly calls: ReadonlyMap<string, string>
  readonly targets: ReadonlyMap<string, string>
}

/** Texts and formats of a language. */
interface SentenceLocale {
  readonly t: Texts
  readonly format: Format
}

export type ShownRule = Omit<AlertRuleRecord, 'companyId'>

/** Returns a rule as a sentence: when it opens an incident, and who is notified when. */
export function sentenceOf(rule: ShownRule, names: RuleNames, locale: SentenceLocale): string {
  const { alerts: words } = locale.t
  const duration = rule.forMs === 0 ? '' : words.forTime(lengthOf(rule.forMs, locale))
  const { t } = locale
  const opening = words.when(
    subjectOf(rule, names, t),
    conditionOf(rule, names, locale),
    duration,
    timesOf(rule, names, t),
  )
  return `${opening}, ${notices(rule, names, locale)}.`
}

/** Returns a duration without units that are zero: `10 min`. */
export function lengthOf(ms: number, { format }: Pick<SentenceLocale, 'format'>): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const
  for (const [unit, unitMs] of units)
    if (ms >= unitMs && ms % unitMs === 0) return `${format.count(ms / unitMs)} ${unit}`
  return format.duration(ms)
}

function list(ids: readonly (string | number)[], names: ReadonlyMap<string, string>, { alerts: words }: Texts): string {
  const shown = ids.map(id => names.get(String(id)) ?? String(id))
  return shown.length < 2 ? (shown[0] ?? '') : words.or(shown.slice(0, -1).join(', '), shown.at(-1) ?? '')
}

function subjectOf({ condition, subject }: ShownRule, names: RuleNames, t: Texts): string {
  const { machineIds, machineGroupIds, connectorIds } = subject
  const words = t.alerts.subjects
  if ('system' in condition) return words.checks[condition.system]
  if ('connector' in condition)
    return connectorIds.length === 0 ? words.anyConnector : words.connectors(list(connectorIds, names.connectors, t))
  const parts = [
    ...(machineIds.length === 0 ? [] : [list(machineIds, names.machines, t)]),
    ...(machineGroupIds.length === 0 ? [] : [words.groups(list(machineGroupIds, names.groups, t))]),
  ]
  return parts.length === 0 ? words.anyMachine : list(parts, new Map(), t)
}

function conditionOf({ condition }: ShownRule, names: RuleNames, { t, format }: SentenceLocale): string {
  const words = t.alerts.conditions
  if ('stop' in condition) {
    const { reasons } = condition.stop
    return reasons.length === 0 ? words.stop : words.stopFor(list(reasons, reasonNames(names, t), t))
  }
  if ('status' in condition) return words.status(list(condition.status, new Map(Object.entries(t.status)), t))
  if ('silent' in condition) return words.silent
  if ('alarm' in condition) {
    const { nativeCodes, states, text } = condition.alarm
    const of = [...states.map(state => t.alarms.states[state]), ...nativeCodes, ...(text === '' ? [] : [`“${text}”`])]
    return of.length === 0 ? words.alarm : words.alarmOf(of.join(', '))
  }
  if ('call' in condition)
    return condition.call.length === 0 ? words.call : words.callFor(list(condition.call, names.calls, t))
  if ('connector' in condition) return words.connector
  const limit = limitOf(condition)
  if (limit === null) return words.unavailable
  return words.above(limitText(condition.system, limit, format))
}

function limitText(check: SystemCheck, limit: number, format: Format): string {
  const digits = Number.isInteger(limit) ? 0 : 1
  if (check === 'disk') return format.percent(limit / 100, digits)
  return `${format.number(limit, digits)}${check === 'lag' ? ' s' : ''}`
}

function reasonNames({ reasons }: RuleNames, { reports: { absent } }: Texts): ReadonlyMap<string, string> {
  return new Map([...reasons, ['setup', absent.setup], ['uncategorized', absent.uncategorized]])
}

function timesOf({ when: { scheduled, shifts, days } }: ShownRule, names: RuleNames, t: Texts): readonly string[] {
  const words = t.alerts.times
  const dayNames = new Map(t.terms.weekdays.map((name, index) => [String(index + 1), name]))
  return [
    scheduled === null ? '' : scheduled ? words.scheduled : words.unscheduled,
    shifts.length === 0 ? '' : words.shifts(list(shifts, names.shifts, t)),
    days.length === 0 ? '' : words.days(list(days, dayNames, t)),
  ]
}

function notices({ steps }: ShownRule, names: RuleNames, locale: SentenceLocale): string {
  const words = locale.t.alerts
  if (steps.length === 0) return words.showsOnly
  return steps
    .map(({ afterMs, targets, repeatMs }, index) => {
      const to = list(targets, names.targets, locale.t)
      const after = afterMs === 0 ? '' : words.after(lengthOf(afterMs, locale))
      const repeat = repeatMs === null ? '' : words.every(lengthOf(repeatMs, locale))
      return `${index === 0 ? words.notify(to, after) : words.also(to, after)}${repeat}`
    })
    .join('; ')
}
