import { Type } from 'typebox'
import { languages } from '../languages.ts'
import * as t from '../types.ts'

/** `user`: mail and page of a user; `mail`: addresses; `webhook`: a URL that receives signed requests. */
const alertTargetKinds = ['user', 'mail', 'webhook'] as const

/** Language of the names and messages of alerts. */
export const alertLanguage = t.named('AlertLanguage', t.oneOf(languages))

/** Fields of a target; those of other kinds are null or empty. */
const alertTargetFields = {
  name: t.name,
  kind: t.named('AlertTargetKind', t.oneOf(alertTargetKinds)),
  userId: t.withDefault(t.nullable(t.uuid), null),
  addresses: t.withDefault(t.list(t.email, { maxItems: 50 }), []),
  url: t.withDefault(t.nullable(Type.String({ minLength: 1, maxLength: 2_000 })), null),
  language: t.withDefault(alertLanguage, 'en'),
  collectMs: t.withDefault(t.integer(0, 300_000), 5_000),
}

/** Encrypted secrets of a webhook; after a rotation, `previous` signs too, until `previousUntil`. */
const secrets = t.object({ current: t.text, previous: t.nullable(t.text), previousUntil: t.nullable(t.instant) })

/** Limit of the text of an error of a delivery, UTF-16 units. */
export const maxDeliveryErrorChars = 500
export const deliveryError = Type.String({ maxLength: maxDeliveryErrorChars })

export const alertTarget = t.object({
  id: t.id,
  companyId: t.text,
  ...alertTargetFields,
  disabledAt: t.nullable(t.instant),
  disabledCause: t.nullable(deliveryError),
  secrets: t.nullable(secrets),
})
export type AlertTargetRecord = t.Infer<typeof alertTarget>

/** Defaults of omitted fields. */
export const defaultAlertTarget = t.defaultsOf(alertTargetFields)

/** Limit of an encrypted secret. */
const maxSealedChars = 1_000
/** Encrypted secret of a webhook in commands. */
export const sealedSecret = Type.String({ minLength: 1, maxLength: maxSealedChars })

const shown = t.extendObject(t.without(alertTarget, 'companyId', 'secrets'), {
  failingSince: t.described(
    t.nullable(t.instant),
    'First failure of the oldest delivery that is being repeated; null: none is',
  ),
})
/** Response for a target. */
export const alertTargetResponse = t.named('AlertTarget', shown)
export type AlertTargetResponse = t.Infer<typeof alertTargetResponse>

/** Response for a target that may have a new secret. */
export const alertTargetWithSecret = t.named(
  'AlertTargetWithSecret',
  t.extendObject(
    shown,
    {
      secret: t.described(
        t.text,
        'Secret of a webhook, `whsec_…`, by which the receiver verifies signatures: shown once',
      ),
    },
    ['secret'],
  ),
)
export type AlertTargetWithSecret = t.Infer<typeof alertTargetWithSecret>

/** Request body for a target: omitted and null fields get their defaults. */
export const alertTargetInput = t.named(
  'AlertTargetInput',
  t.withExamples(
    t.inputSchema(alertTargetFields, {}),
    { name: 'Chat', kind: 'webhook', url: 'https://hooks.example.com/takt' },
    { name: 'Shift leaders', kind: 'mail', addresses: ['shift@example.com'], language: 'de' },
  ),
)
