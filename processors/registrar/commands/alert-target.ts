import type { Payload } from '../../../schema/commands/commands.ts'
import type { FieldError } from '../../../schema/errors.ts'
import { type AlertTargetRecord, defaultAlertTarget } from '../../../schema/records/alert-target.ts'
import { dayMs } from '../../../shared/time/units.ts'
import { instantText } from '../../../shared/time/instant.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, type CompanyContext, companyCommand, put, remove } from '../deciding/command.ts'
import { invalidField, notFound, rejectIfInUse, throwIfInvalid } from '../deciding/command-rejection.ts'
import { rulesThatName } from './alert-references.ts'
import { problem } from './connector-mapping.ts'
import { withDefaults } from './optional-fields.ts'

/** Limit of the targets of a company. */
const maxTargets = 1_000
/** Time during which the previous secret signs too: receivers need time to change theirs. */
const rotationMs = dayMs

/** Creates or replaces an alert target, and enables it. A webhook keeps its secret. Returns the record. */
const putTarget: CommandSpec = companyCommand('alertTarget.put', (payload, context) => {
  const { company, records } = context
  const id = canonicalId(payload.id)
  const before = records.get('alertTarget', company.id, id)
  const after = toTarget(payload, before, context)
  throwIfInvalid([
    ...(before === null && records.list('alertTarget', company.id).length >= maxTargets
      ? [problem('id', `cannot be added: a company has at most ${maxTargets} alert targets`, 'OutOfRange')]
      : []),
    ...findKindErrors(after),
    ...findUserErrors(after, context),
  ])
  return put('alertTarget', id, before, after)
})

/** Replaces the secret of a webhook; for 24 hours, the previous one signs too. Returns the record. */
const rotateSecret: CommandSpec = companyCommand('alertTarget.rotateSecret', (payload, context) => {
  const { company, records, nowMs } = context
  const id = canonicalId(payload.id)
  const before = records.get('alertTarget', company.id, id)
  if (before === null) throw notFound()
  if (before.secrets === null) throw invalidField('id', 'InvalidDataItem', 'The target is not a webhook')
  const previousUntil = instantText(nowMs + rotationMs)
  const secrets = { current: payload.secret, previous: before.secrets.current, previousUntil }
  return put('alertTarget', id, before, { ...before, secrets })
})

/** Deletes an alert target; 409 if an alert rule names it. Returns null. */
const deleteTarget: CommandSpec = companyCommand('alertTarget.delete', (payload, context) => {
  const decision = remove('alertTarget', payload.id, context)
  rejectIfInUse([rulesThatName('alertTarget', canonicalId(payload.id), context)])
  return decision
})

type Input = Payload<'alertTarget.put'>

/** Returns the record of a request, with the defaults of omitted fields. `before`: the record that it replaces. */
export function toTarget(
  payload: Input,
  before: AlertTargetRecord | null,
  { company }: Pick<CompanyContext, 'company'>,
): AlertTargetRecord {
  const fields = withDefaults(defaultAlertTarget, payload)
  return {
    ...fields,
    id: canonicalId(payload.id),
    companyId: company.id,
    name: payload.name,
    kind: payload.kind,
    userId: fields.userId === null ? null : canonicalId(fields.userId),
    disabledAt: null,
    disabledCause: null,
    secrets: payload.kind === 'webhook' ? (before?.secrets ?? newSecrets(payload)) : null,
  }
}

function newSecrets({ secret }: Input): AlertTargetRecord['secrets'] {
  return secret === undefined ? null : { current: secret, previous: null, previousUntil: null }
}

function findKindErrors({ kind, userId, addresses, url, secrets }: AlertTargetRecord): readonly FieldError[] {
  const values = {
    user: ['userId', userId !== null],
    mail: ['addresses', addresses.length > 0],
    webhook: ['url', url !== null],
  } as const
  const errors = Object.entries(values).flatMap(([each, [field, isSet]]) => {
    if (each === kind) return isSet ? [] : [problem(field, `is required for the kind ${kind}`, 'Required')]
    return isSet ? [problem(field, `must be omitted for the kind ${kind}`)] : []
  })
  const wrong = url === null || kind !== 'webhook' ? null : urlProblem(url)
  if (wrong !== null) errors.push(problem('url', wrong))
  else if (kind === 'webhook' && secrets === null) errors.push(problem('secret', 'is required for the kind webhook'))
  return errors
}

function urlProblem(url: string): string | null {
  const parsed = /^https?:\/\//.test(url) ? URL.parse(url) : null
  if (parsed === null) return 'must begin with http:// or https:// and name a host'
  return parsed.username === '' && parsed.password === '' ? null : 'must not contain a user or password'
}

function findUserErrors({ userId }: AlertTargetRecord, { records, company }: CompanyContext): readonly FieldError[] {
  return userId === null || records.get('user', company.id, userId) !== null
    ? []
    : [problem('userId', `'${userId}' does not exist`)]
}

export const alertTargetCommands = [putTarget, rotateSecret, deleteTarget]
