import { findRuleErrors, toRule } from '../../processors/registrar/commands/alert-rule.ts'
import { errorWithin, type FieldError, fieldError, validationError } from '../../schema/errors.ts'
import { type AlertCondition, isMachineCondition, kindOf } from '../../schema/records/alert-condition.ts'
import { ruleTrial, ruleTrialInput, ruleTrialLimits } from '../../schema/requests/rule-trial.ts'
import type { Infer } from '../../schema/types.ts'
import { instantText, toInstant } from '../../shared/time/instant.ts'
import { dayMs } from '../../shared/time/units.ts'
import { anyOf } from '../auth/scopes.ts'
import type { Caller } from '../auth/caller.ts'
import { jsonBody, route } from '../http/route.ts'
import type { ClockPort, RecordsPort } from '../ports/ports.ts'
import type { Reports } from '../reports/reports.ts'
import type { RuleTrialRequest } from '../reports/rule-trial.ts'

type Deps = Pick<Reports, 'tryRule'> & RecordsPort & ClockPort

const tryRule = route('POST /alert-rules/try', 'tryAlertRule', {
  summary: 'The incidents that an alert rule would have opened',
  description: `Applies a rule, which need not be stored, to at most ${ruleTrialLimits.days} days, as if it had always been active. Returns the incidents that would have opened in the range, and the notices of their steps; stores and sends nothing. Conditions on calls, connectors and the system cannot be tried. An incident whose condition began more than ${ruleTrialLimits.days} days before \`start\` is missing. After ${ruleTrialLimits.seconds} s, the machines that remain are not tried.`,
  scope: anyOf('alert'),
  body: jsonBody(ruleTrialInput),
  output: ruleTrial,
  handle: ({ body, caller, signal }, deps: Deps) =>
    deps.tryRule(caller().company.id, readRequest(body, caller(), deps), { signal }),
})

/** Returns a valid request; throws an `ApiError` 400 if it is invalid. */
function readRequest(body: Infer<typeof ruleTrialInput>, { company }: Caller, deps: Deps): RuleTrialRequest {
  const { records, clock } = deps
  const rule = toRule({ ...body.rule, id: 'trial' }, null, { company, now: instantText(clock()) })
  const range = { startMs: Date.parse(toInstant(body.start)), endMs: Date.parse(toInstant(body.end)) }
  const { condition } = rule
  const errors = [
    ...findRuleErrors(rule, { company, records }).map(error => errorWithin('rule.', error)),
    ...findRangeErrors(range),
  ]
  if (errors.length === 0 && isMachineCondition(condition)) return { rule: { ...rule, condition }, range }
  throw validationError([...errors, ...findKindErrors(condition)])
}

function findRangeErrors({ startMs, endMs }: RuleTrialRequest['range']): readonly FieldError[] {
  if (startMs >= endMs) return [fieldError('start', 'InvalidRange', 'start must be before end')]
  if (endMs - startMs <= ruleTrialLimits.days * dayMs) return []
  return [fieldError('start', 'OutOfRange', `start and end are more than ${ruleTrialLimits.days} days apart`)]
}

function findKindErrors(condition: AlertCondition): readonly FieldError[] {
  if (isMachineCondition(condition)) return []
  const message = `rule.condition cannot be tried for the kind ${kindOf(condition)}`
  return [fieldError('rule.condition', 'InvalidDataItem', message)]
}

export const alertRuleTrialRoutes = [tryRule]
