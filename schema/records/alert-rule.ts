import { dayMs } from '../../shared/time/units.ts'
import { exampleIds } from '../example-ids.ts'
import {
  bool,
  defaultsOf,
  described,
  id,
  type Infer,
  inputSchema,
  instant,
  integer,
  list,
  longText,
  name,
  named,
  nullable,
  object,
  oneOf,
  shortText,
  text,
  withDefault,
  withExamples,
  without,
} from '../types.ts'
import { alertCondition } from './alert-condition-schema.ts'
import { alertSubject, alertSubjectInput } from './alert-subject.ts'
import { templateFields } from './alert-template.ts'

const alertSeverities = ['info', 'warning', 'critical'] as const
export const alertSeverity = named('AlertSeverity', oneOf(alertSeverities))

/** The time that counts; all fields match. Empty lists, and `scheduled` null, match always. */
const whenFields = {
  scheduled: withDefault(nullable(bool), null),
  shifts: withDefault(list(id, { maxItems: 1_000 }), []),
  days: withDefault(described(list(integer(1, 7), { maxItems: 7 }), 'ISO weekdays of the shop date, 1: Monday'), []),
}
const when = named('AlertWhen', object(whenFields))
const whenInput = named('AlertWhenInput', inputSchema(whenFields, {}))
export type AlertWhen = Infer<typeof when>

/** Targets to notify, and the time after the opening. */
const stepFields = {
  afterMs: integer(0, 7 * dayMs),
  until: named('AlertUntil', oneOf(['acknowledged', 'resolved'])),
  targets: list(id, { minItems: 1, maxItems: 20 }),
  repeatMs: withDefault(described(nullable(integer(60_000, 7 * dayMs)), 'null: no repeats'), null),
}
const step = named('AlertStep', object(stepFields))
const stepInput = named('AlertStepInput', inputSchema(stepFields, {}))
export type AlertStep = Infer<typeof step>

/** Maximum number of repeats of a step, besides its first notice. */
export const maxRepeats = 100

const template = described(
  named('AlertTemplate', object({ subject: shortText, text: longText })),
  `Subject and text of mails, with fields in braces: ${templateFields.map(field => `{${field}}`).join(', ')}`,
)

/** Fields of a rule. `silent` requires `forMs` of at least 60,000; `call` requires 0. */
const alertRuleFields = {
  name,
  enabled: withDefault(bool, true),
  severity: alertSeverity,
  subject: alertSubject,
  condition: alertCondition,
  forMs: withDefault(integer(0, 7 * dayMs), 0),
  when: withDefault(when, { scheduled: null, shifts: [], days: [] }),
  steps: withDefault(list(step, { maxItems: 10 }), []),
  resolveAfterMs: withDefault(integer(0, dayMs), 0),
  quietMs: withDefault(integer(0, dayMs), 0),
  template: withDefault(nullable(template), null),
}

/** `activeFrom`: last change of enabled, subject, condition, forMs or when. */
export const alertRule = object({ id, companyId: text, ...alertRuleFields, activeFrom: instant })
export type AlertRuleRecord = Infer<typeof alertRule>

/** Defaults of omitted fields. */
export const defaultAlertRule = { ...defaultsOf(alertRuleFields), when: defaultsOf(whenFields) }

/** Response for a rule. */
export const alertRuleResponse = named('AlertRule', without(alertRule, 'companyId'))

/** Request body for a rule: omitted and null fields get their defaults. */
export const alertRuleInput = named(
  'AlertRuleInput',
  withExamples(
    inputSchema(alertRuleFields, {
      subject: described(nullable(alertSubjectInput), 'By default all of the company'),
      when: described(nullable(whenInput), 'By default always'),
      steps: nullable(list(stepInput, { maxItems: 10 })),
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
