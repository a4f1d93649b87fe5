import { dayMs } from '../../shared/time/units.ts'
import { exampleIds } from '../example-ids.ts'
import * as t from '../types.ts'
import { alertCondition } from './alert-condition-schema.ts'
import { alertSubject, alertSubjectInput } from './alert-subject.ts'
import { templateFields } from './alert-template.ts'

const alertSeverities = ['info', 'warning', 'critical'] as const
export const alertSeverity = t.named('AlertSeverity', t.oneOf(alertSeverities))

/** The time that counts; all fields match. Empty lists, and `scheduled` null, match always. */
const whenFields = {
  scheduled: t.withDefault(t.nullable(t.bool), null),
  shifts: t.withDefault(t.list(t.id, { maxItems: 1_000 }), []),
  days: t.withDefault(
    t.described(t.list(t.integer(1, 7), { maxItems: 7 }), 'ISO weekdays of the shop date, 1: Monday'),
    [],
  ),
}
const when = t.named('AlertWhen', t.object(whenFields))
const whenInput = t.named('AlertWhenInput', t.inputSchema(whenFields, {}))
export type AlertWhen = t.Infer<typeof when>

/** Targets to notify, and the time after the opening. */
const stepFields = {
  afterMs: t.integer(0, 7 * dayMs),
  until: t.named('AlertUntil', t.oneOf(['acknowledged', 'resolved'])),
  targets: t.list(t.id, { minItems: 1, maxItems: 20 }),
  repeatMs: t.withDefault(t.described(t.nullable(t.integer(60_000, 7 * dayMs)), 'null: no repeats'), null),
}
const step = t.named('AlertStep', t.object(stepFields))
const stepInput = t.named('AlertStepInput', t.inputSchema(stepFields, {}))
export type AlertStep = t.Infer<typeof step>

/** Maximum number of repeats of a step, besides its first notice. */
export const maxRepeats = 100

const template = t.described(
  t.named('AlertTemplate', t.object({ subject: t.shortText, text: t.longText })),
  `Subject and text of mails, with fields in braces: ${templateFields.map(field => `{${field}}`).join(', ')}`,
)

/** Fields of a rule. `silent` requires `forMs` of at least 60,000; `call` requires 0. */
const alertRuleFields = {
  name: t.name,
  enabled: t.withDefault(t.bool, true),
  severity: alertSeverity,
  subject: alertSubject,
  condition: alertCondition,
  forMs: t.withDefault(t.integer(0, 7 * dayMs), 0),
  when: t.withDefault(when, { scheduled: null, shifts: [], days: [] }),
  steps: t.withDefault(t.list(step, { maxItems: 10 }), []),
  resolveAfterMs: t.withDefault(t.integer(0, dayMs), 0),
  quietMs: t.withDefault(t.integer(0, dayMs), 0),
  template: t.withDefault(t.nullable(template), null),
}

/** `activeFrom`: last change of enabled, subject, condition, forMs or when. */
export const alertRule = t.object({ id: t.id, companyId: t.text, ...alertRuleFields, activeFrom: t.instant })
export type AlertRuleRecord = t.Infer<typeof alertRule>

/** Defaults of omitted fields. */
export const defaultAlertRule = { ...t.defaultsOf(alertRuleFields), when: t.defaultsOf(whenFields) }

/** Response for a rule. */
export const alertRuleResponse = t.named('AlertRule', t.without(alertRule, 'companyId'))

/** Request body for a rule: omitted and null fields get their defaults. */
export const alertRuleInput = t.named(
  'AlertRuleInput',
  t.withExamples(
    t.inputSchema(alertRuleFields, {
      subject: t.described(t.nullable(alertSubjectInput), 'By default all of the company'),
      when: t.described(t.nullable(whenInput), 'By default always'),
      steps: t.nullable(t.list(stepInput, { maxItems: 10 })),
    }),
    {
      name: 'Long stop',
      severity: 'warning',
      condition: { stop: { reasons: ['uncategorized'] } },
      forMs: 600_000,
      when: { scheduled: true },
      steps: [{ afterMs: 0, until: 'acknowledged', targets: [exampleIds.alertTarget], repeatMs: 900_000 }],
    },
  ),
)
