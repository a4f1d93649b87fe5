import type { Records } from '../../processors/records/records.ts'
import type { AlertKind } from '../../schema/records/alert-condition.ts'
import type { AlertTargetRecord } from '../../schema/records/alert-target.ts'
import { type CompanyRecord, settingsOf } from '../../schema/records/company.ts'
import type { DeliveryRecord } from '../../schema/records/delivery.ts'
import { type IncidentRecord, scopesToRead } from '../../schema/records/incident.ts'
import { scopesOfRole } from '../../schema/roles.ts'
import { grants } from '../../schema/scopes.ts'
import type { ResolveName } from '../../shared/allowed-lookup.ts'
import type { SecretBox } from '../../shared/secret-box.ts'
import type { WebhookAddresses } from '../../shared/webhook-addresses.ts'
import { errorText, type Outcome } from '../deliveries/outcome.ts'
import { sendWebhook } from '../deliveries/send-webhook.ts'
import { buildMail } from '../mail/build-mail.ts'
import type { MessageContext } from '../mail/describe-incident.ts'
import type { MailSender } from '../mail/mail-sender.ts'
import { webhookBody } from './webhook-body.ts'

export interface MessageSenderDeps {
  readonly records: Records
  /** null: no mail server is set. */
  readonly mails: Pick<MailSender, 'send'> | null
  readonly webhookAddresses: WebhookAddresses
  /** Decrypts the secrets of webhooks; null: the key is not set. */
  readonly secrets: Pick<SecretBox, 'decrypt'> | null
  /** Address of Takt for browsers; null: messages contain no links. */
  readonly publicUrl: string | null
  /** UTC ms. */
  readonly clock: () => number
  readonly resolve?: ResolveName
}

/** An attempt to send a delivery. */
export interface Attempt {
  readonly delivery: DeliveryRecord
  /** Addresses that lack the message; null: all. */
  readonly remaining: readonly string[] | null
  readonly signal: AbortSignal
}

/** Sends the message of a delivery to its target, as a mail or to a webhook. */
export class MessageSender {
  readonly #deps: MessageSenderDeps

  constructor(deps: MessageSenderDeps) {
    this.#deps = deps
  }

  /** Makes one attempt. Rejected: the target gets no messages, or the incidents are unknown. Never rejects. */
  async send(attempt: Attempt): Promise<Outcome> {
    const { records } = this.#deps
    const { companyId, targetId, incidentIds } = attempt.delivery
    const company = records.company(companyId)
    const target = records.get('alertTarget', companyId, targetId)
    const incidents = incidentIds.flatMap(id => records.get('incident', companyId, id) ?? [])
    if (!company || !target) return rejected('The target does not exist')
    if (target.disabledAt !== null) return rejected('The target is disabled')
    if (incidents.length === 0) return rejected('The incidents are too old')
    try {
      return target.kind === 'webhook'
        ? await this.#sendWebhook(target, incidents, attempt)
        : await this.#sendMail(target, company, incidents, attempt)
    } catch (error) {
      return { kind: 'failed', error: errorText(error), retryAfterMs: null }
    }
  }

  #sendWebhook(
    target: AlertTargetRecord,
    incidents: readonly IncidentRecord[],
    { delivery, signal }: Attempt,
  ): Promise<Outcome> {
    const { webhookAddresses: addresses, clock, resolve, publicUrl } = this.#deps
    const message = {
      url: target.url ?? '',
      id: delivery.id,
      body: webhookBody(delivery, incidents, publicUrl),
      secrets: this.#secretsOf(target),
    }
    return sendWebhook(message, { addresses, clock, signal, ...(resolve && { resolve }) })
  }

  /** The current secret, and for a time the one before a rotation. */
  #secretsOf({ id, companyId, secrets }: AlertTargetRecord): readonly string[] {
    const box = this.#deps.secrets
    if (!box || !secrets) throw new Error('The secret cannot be decrypted: set TAKT_CONNECT_SECRET_FILE')
    const { current, previous, previousUntil } = secrets
    const signsToo = previousUntil !== null && Date.parse(previousUntil) > this.#deps.clock() ? previous : null
    return [current, ...(signsToo === null ? [] : [signsToo])].map(each =>
      box.decrypt(each, `${companyId}/${id}/webhook`),
    )
  }

  async #sendMail(
    target: AlertTargetRecord,
    company: CompanyRecord,
    incidents: readonly IncidentRecord[],
    { delivery, remaining, signal }: Attempt,
  ): Promise<Outcome> {
    const { mails, records } = this.#deps
    // A process with other settings may send it later.
    if (!mails) throw new Error('No mail server is set: TAKT_SMTP_URL')
    const to = this.#addressesOf(target)
    if (typeof to === 'string') return rejected(to)
    const shown = incidents.filter(({ kind }) => this.#maySee(target, kind))
    if (shown.length === 0) return rejected('The role of the user may not read these incidents')
    const { id, event, ruleId, incidentIds } = delivery
    const count = incidentIds.length - (incidents.length - shown.length)
    const rule = ruleId === null ? null : records.get('alertRule', company.id, ruleId)
    const content = { event, incidents: shown, count, template: rule?.template ?? null }
    const body = buildMail(content, this.#contextOf(target, company))
    const mail = { ...body, deliveryId: id, repliesTo: firstDelivery(shown, delivery), to: remaining ?? to }
    return mails.send(mail, signal)
  }

  /** Returns the addresses of a target; a text: why it gets no mails. */
  #addressesOf({ companyId, userId, addresses }: AlertTargetRecord): readonly string[] | string {
    if (userId === null) return addresses
    const user = this.#deps.records.get('user', companyId, userId)
    if (!user) return 'The user does not exist'
    if (user.disabledAt !== null) return 'The user is disabled'
    return [user.email]
  }

  /** Whether a target may see incidents of a kind: a user those of its role, an address all. */
  #maySee({ companyId, userId }: AlertTargetRecord, kind: AlertKind): boolean {
    if (userId === null) return true
    const user = this.#deps.records.get('user', companyId, userId)
    return user !== null && scopesToRead(kind).every(scope => grants(scopesOfRole[user.role], scope))
  }

  #contextOf(target: AlertTargetRecord, company: CompanyRecord): MessageContext {
    const { records, publicUrl } = this.#deps
    const { timeZone, callKinds } = settingsOf(company)
    return {
      target,
      timeZone,
      publicUrl,
      reasonNames: new Map(records.list('downtimeReason', company.id).map(reason => [reason.id, reason.name])),
      callKindNames: new Map(callKinds.map(kind => [kind.id, kind.name])),
    }
  }
}

/** Returns the first delivery of the first incident to the target, to which this one is a reply; null: this is it. */
function firstDelivery([incident]: readonly IncidentRecord[], { id, targetId }: DeliveryRecord): string | null {
  const first = incident?.notices.find(notice => notice.targetId === targetId && notice.deliveryId !== null)
  return first === undefined || first.deliveryId === id ? null : first.deliveryId
}

function rejected(error: string): Outcome {
  return { kind: 'rejected', error }
}
