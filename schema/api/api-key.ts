import type { KeyRecord } from '../records.ts'
import { scopes } from '../scopes.ts'
import { bool, instant, list, name, nullable, object, partial, schema, text } from './json-schema.ts'

/** A key as it is shown: without its value, which nobody keeps. */
export interface ApiKey extends Pick<KeyRecord, 'id' | 'name' | 'scopes' | 'createdAt'> {
  /** To about a minute; null: never. */
  readonly lastUsedAt: string | null
  readonly disabledAt: string | null
}

const someScopes = list({ type: 'string', enum: scopes }, { maxItems: 100 })
const shown = {
  id: text,
  name: text,
  scopes: list({ type: 'string', examples: scopes }),
  createdAt: instant,
  lastUsedAt: nullable(instant),
  disabledAt: nullable(instant),
}

export const apiKey = schema<ApiKey>(object(shown))
export const apiKeyList = schema<readonly ApiKey[]>(list(apiKey.json))

/** The only answer that has the key's value. */
export interface NewApiKey extends ApiKey {
  readonly key: string
}

export const newApiKey = schema<NewApiKey>(
  object({ ...shown, key: { ...text, description: 'The value: shown here and never again' } }),
)

/** Body of `POST /api-keys`. */
export type ApiKeyInput = Pick<KeyRecord, 'name' | 'scopes'>

export const apiKeyInput = schema<ApiKeyInput>(object({ name, scopes: someScopes }))

/** Body of `PATCH /api-keys/:id`: what is left out stays. */
export interface ApiKeyPatch extends Partial<ApiKeyInput> {
  readonly disabled?: boolean
}

export const apiKeyPatch = schema<ApiKeyPatch>(partial({ name, scopes: someScopes, disabled: bool }))
