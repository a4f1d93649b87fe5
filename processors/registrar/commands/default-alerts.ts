import type { Language } from '../../../schema/languages.ts'
import type { Payload } from '../../../schema/commands/commands.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import type { UserRecord } from '../../../schema/records/user.ts'
import { minuteMs } from '../../../shared/time/units.ts'
import { type CompanyContext, changeTo } from '../deciding/command.ts'
import { toRule } from './alert-rule.ts'
import { toTarget } from './alert-target.ts'

const targetId = 'administrator'

type Rule = Omit<Payload<'alertRule.put'>, 'steps' | 'name'> & { readonly names: Readonly<Record<Language, string>> }

/** The rules that a new installation has: those on the system. Short changes of a value open no further incidents. */
const defaultRules: readonly Rule[] = [
  {
    id: 'system-lag',
    names: { en: 'Reports are behind', de: 'Berichte im Rückstand' },
    severity: 'warning',
    condition: { system: 'lag' },
    resolveAfterMs: minuteMs,
    quietMs: 10 * minuteMs,
  },
  {
    id: 'system-disk',
    names: { en: 'Disk is nearly full', de: 'Festplatte fast voll' },
    severity: 'critical',
    condition: { system: 'disk' },
    forMs: 5 * minuteMs,
    resolveAfterMs: 5 * minuteMs,
  },
  {
    id: 'system-dead-letters',
    names: { en: 'Samples are rejected', de: 'Messwerte werden abgelehnt' },
    severity: 'warning',
    condition: { system: 'deadLetters' },
    quietMs: 60 * minuteMs,
  },
  {
    id: 'system-store',
    names: { en: 'ClickHouse is unavailable', de: 'ClickHouse nicht erreichbar' },
    severity: 'critical',
    condition: { system: 'store' },
    forMs: minuteMs,
    quietMs: 10 * minuteMs,
  },
  {
    id: 'system-log',
    names: { en: 'Log is unavailable', de: 'Log nicht erreichbar' },
    severity: 'critical',
    condition: { system: 'log' },
    forMs: minuteMs,
    quietMs: 10 * minuteMs,
  },
]

/**
 * Returns the default alert rules of an installation, with names in the language, which notify its first administrator; none if the company has
 * rules on the system or records with the same ids, or is not the first one. Other rules, such as those of the
 * simulated plant, may exist.
 */
export function defaultAlerts(
  { id: userId, displayName }: UserRecord,
  language: Language,
  context: CompanyContext,
): readonly Change[] {
  const { company, records } = context
  if (records.firstCompany()?.id !== company.id || hasSystemAlerts(context)) return []
  const target = toTarget({ id: targetId, name: displayName, kind: 'user', userId, language }, null, context)
  const steps = [{ afterMs: 0, until: 'acknowledged' as const, targets: [targetId] }]
  return [
    ...changeTo('alertTarget', target.id, null, target),
    ...defaultRules.flatMap(({ names, ...rule }) =>
      changeTo('alertRule', rule.id, null, toRule({ ...rule, name: names[language], steps }, null, context)),
    ),
  ]
}

function hasSystemAlerts({ company, records }: CompanyContext): boolean {
  return (
    records.get('alertTarget', company.id, targetId) !== null ||
    defaultRules.some(({ id }) => records.get('alertRule', company.id, id) !== null) ||
    records.list('alertRule', company.id).some(({ condition }) => 'system' in condition)
  )
}
