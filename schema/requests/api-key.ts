import { key, someScopes } from '../records/key.ts'
import { bool, described, instant, list, name, nullable, object, type Of, partial, text, without } from '../types.ts'

const shown = {
  ...without(key, 'companyId', 'hash', 'disabledAt').properties,
  /** To about a minute; null: never. */
  lastUsedAt: nullable(instant),
  disabledAt: nullable(instant),
}

/** A key as it is shown: without its value, which nobody keeps. */
export const apiKey = object(shown)
export type ApiKey = Of<typeof apiKey>
export const apiKeyList = list(apiKey)

/** The only answer that has the key's value. */
export const newApiKey = object({
  ...shown,
  key: described(nullable(text), 'The value: shown here and never again. null: the answer to a repeated request'),
})

/** Body of `POST /api-keys`. */
export const apiKeyInput = object({ name, scopes: someScopes })

/** Body of `PATCH /api-keys/:id`: what is left out stays. */
export const apiKeyPatch = partial({ name, scopes: someScopes, disabled: bool })
/** As the first answer has it. */
export type NewApiKey = Of<typeof newApiKey> & { readonly key: string }
