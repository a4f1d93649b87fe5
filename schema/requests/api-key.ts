import { key, scopesInput } from '../records/key.ts'
import {
  bool,
  described,
  instant,
  name,
  named,
  namedList,
  nullable,
  object,
  type Infer,
  partial,
  text,
  withExamples,
  without,
} from '../types.ts'

const shown = {
  ...without(key, 'companyId', 'hash', 'disabledAt').properties,
  /** Accurate to about a minute; null: never used. */
  lastUsedAt: nullable(instant),
  disabledAt: nullable(instant),
}

/** Response for a key: without its value, which is not stored. */
export const apiKey = named('ApiKey', object(shown))
export type ApiKey = Infer<typeof apiKey>
export const apiKeyList = namedList(apiKey)

/** The only response that contains the value of the key. */
export const newApiKey = named(
  'CreatedApiKey',
  object({
    ...shown,
    key: described(
      nullable(text),
      'The value, which only this response contains. null in the response to a repeated request',
    ),
  }),
)

/** Body of `POST /api-keys`. */
export const apiKeyInput = named(
  'ApiKeyInput',
  withExamples(object({ name, scopes: scopesInput }), { name: 'Gateway in hall 1', scopes: ['ingest.activity'] }),
)

/** Body of `PATCH /api-keys/:id`: omitted fields stay unchanged. */
export const apiKeyPatch = named(
  'ApiKeyPatch',
  withExamples(partial({ name, scopes: scopesInput, disabled: bool }), { scopes: ['ingest.activity', 'machine.read'] }),
)
/** Response to the first request; a repeated request gets `key: null`. */
export type CreatedApiKey = Infer<typeof newApiKey> & { readonly key: string }
