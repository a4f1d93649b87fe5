import { Type } from 'typebox'
import {
  email,
  id,
  type Infer,
  instant,
  integer,
  list,
  name,
  named,
  nullable,
  object,
  oneOf,
  shortText,
  text,
  uuid,
  withDefault,
} from '../types.ts'

/** `user`: mail and page of a user; `mail`: addresses; `webhook`: a URL that receives signed requests. */
export const alertTargetKinds = ['user', 'mail', 'webhook'] as const
export type AlertTargetKind = (typeof alertTargetKinds)[number]

/** Fields of a target; those of other kinds are null or empty. */
export const alertTargetFields = {
  name,
  kind: named('AlertTargetKind', oneOf(alertTargetKinds)),
  userId: withDefault(nullable(uuid), null),
  addresses: withDefault(list(email, { maxItems: 50 }), []),
  url: withDefault(nullable(Type.String({ minLength: 1, maxLength: 2_000 })), null),
  language: withDefault(named('AlertLanguage', oneOf(['en', 'de'])), 'en'),
  collectMs: withDefault(integer(0, 300_000), 5_000),
}

/** Encrypted secrets of a webhook; after a rotation, `previous` signs too, until `previousUntil`. */
const secrets = object({ current: text, previous: nullable(text), previousUntil: nullable(instant) })

export const alertTarget = object({
  id,
  companyId: text,
  ...alertTargetFields,
  disabledAt: nullable(instant),
  disabledCause: nullable(shortText),
  secrets: nullable(secrets),
})
export type AlertTargetRecord = Infer<typeof alertTarget>
