import { Type } from 'typebox'
import { languages } from '../languages.ts'
import {
  described,
  defaultsOf,
  email,
  extendObject,
  id,
  type Infer,
  inputSchema,
  instant,
  integer,
  list,
  name,
  named,
  nullable,
  object,
  oneOf,
  text,
  uuid,
  withDefault,
  withExamples,
  without,
} from '../types.ts'

/** `user`: mail and page of a user; `mail`: addresses; `webhook`: a URL that receives signed requests. */
const alertTargetKinds = ['user', 'mail', 'webhook'] as const

/** Language of the names and messages of alerts. */
export const alertLanguage = named('AlertLanguage', oneOf(languages))

/** Fields of a target; those of other kinds are null or empty. */
const alertTargetFields = {
  name,
  kind: named('AlertTargetKind', oneOf(alertTargetKinds)),
  userId: withDefault(nullable(uuid), null),
  addresses: withDefault(list(email, { maxItems: 50 }), []),
  url: withDefault(nullable(Type.String({ minLength: 1, maxLength: 2_000 })), null),
  language: withDefault(alertLanguage, 'en'),
  collectMs: withDefault(integer(0, 300_000), 5_000),
}

/** Encrypted secrets of a webhook; after a rotation, `previous` signs too, until `previousUntil`. */
const secrets = object({ current: text, previous: nullable(text), previousUntil: nullable(instant) })

/** Limit of the text of an error of a delivery, UTF-16 units. */
export const maxDeliveryErrorChars = 500
export const deliveryError = Type.String({ maxLength: maxDeliveryErrorChars })

export const alertTarget = object({
  id,
  companyId: text,
  ...alertTargetFields,
  disabledAt: nullable(instant),
  disabledCause: nullable(deliveryError),
  secrets: nullable(secrets),
})
export type AlertTargetRecord = Infer<typeof alertTarget>

/** Defaults of omitted fields. */
export const defaultAlertTarget = defaultsOf(alertTargetFields)

/** Limit of an encrypted secret. */
const maxSealedChars = 1_000
/** Encrypted secret of a webhook in commands. */
export const sealedSecret = Type.String({ minLength: 1, maxLength: maxSealedChars })

const shown = extendObject(without(alertTarget, 'companyId', 'secrets'), {
  failingSince: described(
    nullable(instant),
    'First failure of the oldest delivery that is being repeated; null: none is',
  ),
})
/** Response for a target. */
export const alertTargetResponse = named('AlertTarget', shown)
export type AlertTargetResponse = Infer<typeof alertTargetResponse>

/** Response for a target that may have a new secret. */
export const alertTargetWithSecret = named(
  'AlertTargetWithSecret',
  extendObject(
    shown,
    {
      secret: described(text, 'Secret of a webhook, `whsec_…`, by which the receiver verifies signatures: shown once'),
    },
    ['secret'],
  ),
)
export type AlertTargetWithSecret = Infer<typeof alertTargetWithSecret>

/** Request body for a target: omitted and null fields get their defaults. */
export const alertTargetInput = named(
  'AlertTargetInput',
  withExamples(
    inputSchema(alertTargetFields, {}),
    { name: 'Chat', kind: 'webhook', url: 'https://hooks.example.com/takt' },
    { name: 'Shift leaders', kind: 'mail', addresses: ['shift@example.com'], language: 'de' },
  ),
)
