import { dayMs } from '../../shared/time/units.ts'
import {
  bool,
  described,
  id,
  type Infer,
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
} from '../types.ts'
import { alertCondition } from './alert-condition.ts'
import { alertSubject } from './alert-subject.ts'

export const alertSeverities = ['info', 'warning', 'critical'] as const
export const alertSeverity = named('AlertSeverity', oneOf(alertSeverities))
export type AlertSeverity = (typeof alertSeverities)[number]

/** The time that counts; all fields match. Empty lists, and `scheduled` null, match always. */
const when = named(
  'AlertWhen',
  object({
    scheduled: withDefault(nullable(bool), null),
    shifts: withDefault(list(id, { maxItems: 1_000 }), []),
    days: withDefault(described(list(integer(1, 7), { maxItems: 7 }), 'ISO weekdays of the shop date, 1: Monday'), []),
  }),
)
export type AlertWhen = Infer<typeof when>

/** Targets to notify, and the time after the opening. */
const step = named(
  'AlertStep',
  object({
    afterMs: integer(0, 7 * dayMs),
    until: oneOf(['acknowledged', 'resolved']),
    targets: list(id, { maxItems: 20 }),
    repeatMs: withDefault(described(nullable(integer(60_000, 7 * dayMs)), 'null: no repeats'), null),
  }),
)
export type AlertStep = Infer<typeof step>

/** Maximum number of repeats of a step, besides its first notice. */
export const maxRepeats = 100

const template = named('AlertTemplate', object({ subject: shortText, text: longText }))

/** Fields of a rule. `silent` requires `forMs` of at least 60,000; `call` requires 0. */
export const alertRuleFields = {
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
