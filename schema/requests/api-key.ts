import { key, scopesInput } from '../records/key.ts'
import * as t from '../types.ts'

const shown = {
  ...t.without(key, 'companyId', 'hash', 'disabledAt').properties,
  /** Accurate to about a minute; null: never used. */
  lastUsedAt: t.nullable(t.instant),
  disabledAt: t.nullable(t.instant),
}

/** Response for a key: without its value, which is not stored. */
export const apiKey = t.named('ApiKey', t.object(shown))
export type ApiKey = t.Infer<typeof apiKey>
export const apiKeyList = t.namedList(apiKey)

/** The only response that contains the value of the key. */
export const newApiKey = t.named(
  'CreatedApiKey',
  t.object({
    ...shown,
    key: t.described(
      t.nullable(t.text),
      'The value, which only this response contains. null in the response to a repeated request',
    ),
  }),
)

/** Body of `POST /api-keys`. */
export const apiKeyInput = t.named(
  'ApiKeyInput',
  t.withExamples(t.object({ name: t.name, scopes: scopesInput }), {
    name: 'Gateway in hall 1',
    scopes: ['ingest.activity'],
  }),
)

/** Body of `PATCH /api-keys/:id`: omitted fields stay unchanged. */
export const apiKeyPatch = t.named(
  'ApiKeyPatch',
  t.withExamples(t.partial({ name: t.name, scopes: scopesInput, disabled: t.bool }), {
    scopes: ['ingest.activity', 'machine.read'],
  }),
)
/** Response to the first request; a repeated request gets `key: null`. */
export type CreatedApiKey = t.Infer<typeof newApiKey> & { readonly key: string }
