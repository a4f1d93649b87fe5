import { randomBytes } from 'node:crypto'
import { exampleIds } from '../../schema/example-ids.ts'
import { alertPauseResponse } from '../../schema/records/alert-pause.ts'
import { alertRuleResponse } from '../../schema/records/alert-rule.ts'
import {
  alertTargetInput,
  type AlertTargetRecord,
  alertTargetResponse,
  type AlertTargetResponse,
  alertTargetWithSecret,
  type AlertTargetWithSecret,
} from '../../schema/records/alert-target.ts'
import { type FieldError, fieldError, validationError } from '../../schema/errors.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { literalIp } from '../../shared/literal-ip.ts'
import { byName } from '../../processors/records/sorted-by-machine.ts'
import { canonicalId } from '../../processors/records/record-ids.ts'
import type { Caller } from '../auth/caller.ts'
import { anyOf } from '../auth/scopes.ts'
import { pathId, sendCommand, submit, withId } from '../commands/submit.ts'
import { commandBody, route } from '../http/route.ts'
import type { CommandsPort, ConnectorsPort, RecordsPort, WebhooksPort } from '../ports/ports.ts'
import { recordRoutes, withoutCompany } from './record-routes.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

const read = anyOf('alert.read')
const write = anyOf('alert')

const ruleRoutes = recordRoutes({
  kind: 'alertRule',
  path: '/alert-rules',
  read,
  write,
  output: alertRuleResponse,
  present: withoutCompany,
  list: { summary: 'All alert rules, by name' },
  order: byName,
  get: { summary: 'One alert rule' },
  put: {
    summary: 'Create or replace an alert rule',
    description:
      'A condition has exactly one kind. A change of `enabled`, `subject`, `condition`, `forMs` or `when` sets `activeFrom`: what was before opens no incident. Calls (`POST /calls`) open incidents of rules for their kind; the other conditions are evaluated.',
  },
  delete: { summary: 'Delete an alert rule', description: 'Its unresolved incidents are resolved.' },
})

const targetRoutes = recordRoutes({
  kind: 'alertTarget',
  path: '/alert-targets',
  read,
  write,
  output: alertTargetResponse,
  present: presentTarget,
  list: { summary: 'All alert targets, by name' },
  order: byName,
  get: { summary: 'One alert target' },
  delete: { summary: 'Delete an alert target', description: '409 if an alert rule names it.' },
})

const pauseRoutes = recordRoutes({
  kind: 'alertPause',
  path: '/alert-pauses',
  read,
  write,
  output: alertPauseResponse,
  present: withoutCompany,
  list: { summary: 'All pauses of alerts, by start' },
  order: (a, b) => compareTexts(a.startAt, b.startAt) || compareTexts(a.id, b.id),
  get: { summary: 'One pause of alerts' },
  put: {
    summary: 'Create or replace a pause of alerts',
    description: 'Incidents open in a pause; their notices wait until it ends.',
  },
  delete: { summary: 'Delete a pause of alerts' },
})

type Deps = CommandsPort & RecordsPort & Pick<ConnectorsPort, 'connectorSecrets'> & WebhooksPort

const putTarget = route('PUT /alert-targets/:id', 'putAlertTarget', {
  summary: 'Create or replace an alert target',
  description:
    'The response for a new webhook has its `secret`, which no other response contains. An IP address must be allowed (`TAKT_WEBHOOK_ALLOW`). Enables a disabled target.',
  example: { id: exampleIds.alertTarget },
  scope: write,
  body: commandBody(alertTargetInput),
  output: alertTargetWithSecret,
  async handle({ caller, params, body }, deps: Deps) {
    const errors = findUrlErrors(body, deps)
    if (errors.length > 0) throw validationError(errors)
    const id = pathId(params)
    const secret = isWebhook(body) ? newSecret(caller(), id, deps) : null
    const { secret: _, ...target } = { secret: null, ...withId(body, id) }
    const payload = secret === null ? target : { ...target, secret: secret.sealed }
    return withNewSecret(resultOrThrow(await sendCommand(deps, caller(), 'alertTarget.put', payload)), secret, deps)
  },
})

const rotateSecret = route('POST /alert-targets/:id/rotate-secret', 'rotateAlertTargetSecret', {
  summary: 'Replace the secret of a webhook',
  description:
    'The response has the new `secret`. For 24 hours, the previous secret signs too. A repeat with the same `Idempotency-Key` changes nothing, and its response has no `secret`, because the value is not stored.',
  example: { id: exampleIds.alertTarget },
  scope: write,
  keyed: {},
  output: alertTargetWithSecret,
  async handle({ caller, params }, deps: Deps) {
    const id = pathId(params)
    const secret = newSecret(caller(), id, deps)
    return withNewSecret(
      await submit(deps, caller(), 'alertTarget.rotateSecret', { id, secret: secret.sealed }),
      secret,
      deps,
    )
  },
})

interface NewSecret {
  readonly text: string
  readonly sealed: string
}

/** Creates a secret and encrypts it: the log contains no secret. */
function newSecret({ company }: Caller, id: string, { connectorSecrets }: Deps): NewSecret {
  if (connectorSecrets === null)
    throw validationError([
      fieldError('url', 'InvalidDataItem', 'url of a webhook requires the setting TAKT_CONNECT_SECRET_FILE'),
    ])
  const text = `whsec_${randomBytes(32).toString('base64')}`
  return { text, sealed: connectorSecrets.encrypt(text, `${company.id}/${canonicalId(id)}/webhook`) }
}

function withNewSecret(record: AlertTargetRecord, secret: NewSecret | null, deps: RecordsPort): AlertTargetWithSecret {
  const isStored = secret !== null && record.secrets?.current === secret.sealed
  return { ...presentTarget(record, deps), ...(isStored && { secret: secret.text }) }
}

function presentTarget(record: AlertTargetRecord, { records }: RecordsPort): AlertTargetResponse {
  const { secrets: _, ...shown } = withoutCompany(record)
  const undecided = records.deliveries.undecidedOfTarget({ companyId: record.companyId, targetId: record.id })
  return { ...shown, failingSince: undecided.find(({ failedAt }) => failedAt !== null)?.failedAt ?? null }
}

function isWebhook(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'webhook'
}

function findUrlErrors(body: unknown, { webhookAddresses }: WebhooksPort): readonly FieldError[] {
  const url = typeof body === 'object' && body !== null && 'url' in body ? body.url : null
  const ip = typeof url === 'string' ? literalIp(url) : null
  if (ip === null || webhookAddresses.allows(ip)) return []
  const message = `url ${ip} is not in an allowed network: an administrator can add it to TAKT_WEBHOOK_ALLOW`
  return [fieldError('url', 'InvalidDataItem', message)]
}

export const alertRoutes = [...ruleRoutes, ...targetRoutes, putTarget, rotateSecret, ...pauseRoutes]
