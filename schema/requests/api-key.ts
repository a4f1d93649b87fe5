import { key, someScopes } from '../records/key.ts'
import {
  bool,
  described,
  instant,
  name,
  named,
  namedList,
  nullable,
  object,
  type Of,
  partial,
  text,
  withExamples,
  without,
} from '../types.ts'

const shown = {
  ...without(key, 'companyId', 'hash', 'disabledAt').properties,
  /** To about a minute; null: never. */
  lastUsedAt: nullable(instant),
  disabledAt: nullable(instant),
}

/** Response for a key: without its value, which is not stored. */
export const apiKey = named('ApiKey', object(shown))
export type ApiKey = Of<typeof apiKey>
export const apiKeyList = namedList(apiKey)

/** The only answer that has the key's value. */
export const newApiKey = named(
  'CreatedApiKey',
  object({
    ...shown,
    key: described(nullable(text), 'The value: shown here and never again. null: the answer to a repeated request'),
  }),
)

/** Body of `POST /api-keys`. */
export const apiKeyInput = named(
  'ApiKeyInput',
  withExamples(object({ name, scopes: someScopes }), { name: 'Gateway in hall 1', scopes: ['ingest.activity'] }),
)

/** Body of `PATCH /api-keys/:id`: what is left out stays. */
export const apiKeyPatch = named(
  'ApiKeyPatch',
  withExamples(partial({ name, scopes: someScopes, disabled: bool }), { scopes: ['ingest.activity', 'machine.read'] }),
)
/** As the first answer has it. */
export type CreatedApiKey = Of<typeof newApiKey> & { readonly key: string }
