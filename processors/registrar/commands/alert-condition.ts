import type { FieldError } from '../../../schema/errors.ts'
import { type AlertCondition, kindOf, limitOf, type SystemCondition } from '../../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../../schema/records/alert-rule.ts'
import { settingsOf } from '../../../schema/records/company.ts'
import type { CompanyRecords } from '../deciding/command.ts'
import { problem } from './connector-mapping.ts'

/** Minimum `forMs` of silence: shorter pauses between samples are usual. */
const minSilenceMs = 60_000

/** Returns a condition without unknown fields of the request. */
export function toCondition(input: AlertCondition): AlertCondition {
  if ('stop' in input) return { stop: { reasons: [...input.stop.reasons] } }
  if ('status' in input) return { status: [...input.status] }
  if ('silent' in input) return { silent: true }
  if ('alarm' in input) {
    const { nativeCodes, states, text } = input.alarm
    return { alarm: { nativeCodes: [...nativeCodes], states: [...states], text } }
  }
  if ('call' in input) return { call: [...input.call] }
  if ('connector' in input) return { connector: input.connector }
  return { system: input.system, ...(input.above !== undefined && { above: input.above }) }
}

/** Returns the errors of a rule's condition, and of fields that do not fit the condition. */
export function findConditionErrors(rule: AlertRuleRecord, context: CompanyRecords): readonly FieldError[] {
  const { condition, forMs } = rule
  const errors: FieldError[] = []
  if ('stop' in condition) errors.push(...findReasonErrors(condition.stop.reasons, context))
  if ('silent' in condition && forMs < minSilenceMs)
    errors.push(problem('forMs', `must be at least ${minSilenceMs} for the kind silent`, 'OutOfRange'))
  if ('call' in condition) {
    if (forMs !== 0) errors.push(problem('forMs', 'must be 0 for the kind call'))
    errors.push(...findCallErrors(condition.call, context))
  }
  if ('system' in condition) errors.push(...findSystemErrors(condition, context))
  return [...errors, ...findUnusedFields(rule)]
}

function findReasonErrors(
  reasons: readonly (number | string)[],
  { records, company }: CompanyRecords,
): readonly FieldError[] {
  return reasons.flatMap((id, index) =>
    typeof id === 'string' || records.get('downtimeReason', company.id, id) !== null
      ? []
      : [problem(`condition.stop.reasons[${index}]`, `${id} does not exist`)],
  )
}

function findCallErrors(kinds: readonly string[], { company }: CompanyRecords): readonly FieldError[] {
  const known = new Set(settingsOf(company).callKinds.map(({ id }) => id))
  return kinds.flatMap((id, index) =>
    known.has(id) ? [] : [problem(`condition.call[${index}]`, `'${id}' does not exist in the setting callKinds`)],
  )
}

function findSystemErrors(condition: SystemCondition, { records, company }: CompanyRecords): readonly FieldError[] {
  const { system, above } = condition
  const isFirst = records.firstCompany()?.id === company.id
  return [
    ...(isFirst ? [] : [problem('condition.system', 'requires the kind of company that was created first')]),
    ...(above === undefined || limitOf(condition) !== null
      ? []
      : [problem('condition.above', `must be omitted for the kind ${system}`)]),
  ]
}

/** Errors of subjects and times that the condition would ignore. */
function findUnusedFields({ condition, subject, when }: AlertRuleRecord): readonly FieldError[] {
  const kind = kindOf(condition)
  const ofMachines = kind !== 'connector' && kind !== 'system'
  const unused = ofMachines
    ? (['connectorIds'] as const)
    : ([
        ...(['machineIds', 'machineGroupIds'] as const),
        ...(kind === 'system' ? (['connectorIds'] as const) : []),
      ] as const)
  const errors = unused
    .filter(name => subject[name].length > 0)
    .map(name => problem(`subject.${name}`, `must be empty for the kind ${kind}`))
  if (ofMachines) return errors
  if (when.scheduled !== null) errors.push(problem('when.scheduled', `must be null for the kind ${kind}`))
  if (when.shifts.length > 0) errors.push(problem('when.shifts', `must be empty for the kind ${kind}`))
  return errors
}
