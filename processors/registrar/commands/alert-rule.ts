import { isDeepStrictEqual } from 'node:util'
import type { Payload } from '../../../schema/commands/commands.ts'
import type { FieldError } from '../../../schema/errors.ts'
import { type AlertRuleRecord, type AlertStep, defaultAlertRule } from '../../../schema/records/alert-rule.ts'
import { findUnknownFields } from '../../../schema/records/alert-template.ts'
import { canonicalId } from '../../records/record-ids.ts'
import {
  type CommandSpec,
  type CompanyContext,
  companyCommand,
  type CompanyRecords,
  put,
  remove,
} from '../deciding/command.ts'
import { throwIfInvalid } from '../deciding/command-rejection.ts'
import { findConditionErrors, toCondition } from './alert-condition.ts'
import { findSubjectErrors, toSubject } from './alert-subject.ts'
import { problem } from './connector-mapping.ts'
import { withDefaults } from './optional-fields.ts'

/** Limit of the rules of a company. */
const maxRules = 1_000
const subjectLists = ['machineIds', 'machineGroupIds', 'connectorIds'] as const

/** Creates or replaces an alert rule; omitted fields get their defaults. Returns the record. */
const putRule: CommandSpec = companyCommand('alertRule.put', (payload, context) => {
  const { company, records } = context
  const id = canonicalId(payload.id)
  const before = records.get('alertRule', company.id, id)
  const after = toRule(payload, before, context)
  throwIfInvalid([
    ...(before === null && records.list('alertRule', company.id).length >= maxRules
      ? [problem('id', `cannot be added: a company has at most ${maxRules} alert rules`, 'OutOfRange')]
      : []),
    ...findRuleErrors(after, context),
  ])
  return put('alertRule', id, before, after)
})

/** Deletes an alert rule. Returns null. */
const deleteRule: CommandSpec = companyCommand('alertRule.delete', (payload, context) =>
  remove('alertRule', payload.id, context),
)

type Input = Payload<'alertRule.put'>

/** Returns the errors of a rule that refers to records of a company. */
export function findRuleErrors(rule: AlertRuleRecord, context: CompanyRecords): readonly FieldError[] {
  return [
    ...findSubjectErrors(rule.subject, context),
    ...findConditionErrors(rule, context),
    ...findShiftErrors(rule, context),
    ...rule.steps.flatMap((step, index) => findTargetErrors(step, `steps[${index}]`, context)),
    ...findTemplateErrors(rule),
  ]
}

/** Returns the record of a request, with the defaults of omitted fields. `before`: the record that it replaces. */
export function toRule(
  payload: Input,
  before: AlertRuleRecord | null,
  { company, now }: Pick<CompanyContext, 'company' | 'now'>,
): AlertRuleRecord {
  const after = {
    ...withDefaults(defaultAlertRule, { ...payload, when: null, steps: null, template: null }),
    id: canonicalId(payload.id),
    companyId: company.id,
    name: payload.name,
    severity: payload.severity,
    subject: toSubject(subjectLists, payload.subject),
    condition: toCondition(payload.condition),
    when: withDefaults(defaultAlertRule.when, payload.when ?? {}),
    steps: (payload.steps ?? []).map(toStep),
    template: payload.template ? { subject: payload.template.subject, text: payload.template.text } : null,
  }
  return { ...after, activeFrom: before !== null && isSameCondition(before, after) ? before.activeFrom : now }
}

function toStep({ afterMs, until, targets, repeatMs }: NonNullable<Input['steps']>[number]): AlertStep {
  return { afterMs, until, targets: targets.map(canonicalId), repeatMs: repeatMs ?? null }
}

/** Whether the same spans open incidents. */
function isSameCondition(before: AlertRuleRecord, after: Omit<AlertRuleRecord, 'activeFrom'>): boolean {
  const fields = ['enabled', 'subject', 'condition', 'forMs', 'when'] as const
  return fields.every(field => isDeepStrictEqual(before[field], after[field]))
}

function findShiftErrors({ when }: AlertRuleRecord, { records, company }: CompanyRecords): readonly FieldError[] {
  if (when.shifts.length === 0) return []
  const known = new Set(
    records
      .list('schedule', company.id)
      .flatMap(({ versions, exceptions }) => [...versions, ...exceptions].flatMap(({ shifts }) => shifts))
      .map(({ id }) => id),
  )
  return when.shifts.flatMap((id, index) =>
    known.has(id) ? [] : [problem(`when.shifts[${index}]`, `'${id}' does not exist in a schedule`)],
  )
}

function findTargetErrors(
  { targets }: AlertStep,
  place: string,
  { records, company }: CompanyRecords,
): readonly FieldError[] {
  return targets.flatMap((id, index) =>
    records.get('alertTarget', company.id, id) === null
      ? [problem(`${place}.targets[${index}]`, `'${id}' does not exist`)]
      : [],
  )
}

function findTemplateErrors({ template }: AlertRuleRecord): readonly FieldError[] {
  if (template === null) return []
  return (['subject', 'text'] as const).flatMap(part =>
    findUnknownFields(template[part]).map(name =>
      problem(`template.${part}`, `contains {${name}}: a field of this name does not exist`),
    ),
  )
}

export const alertRuleCommands = [putRule, deleteRule]
