import { managingRoles } from '../../schema/roles.ts'
import { exampleIds } from '../../schema/example-ids.ts'
import { type ApiKey, apiKey, apiKeyInput, apiKeyList, apiKeyPatch, newApiKey } from '../../schema/requests/api-key.ts'
import { nullSchema } from '../../schema/types.ts'
import { notFound } from '../../schema/errors.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import { generateKey, hashKey } from '../auth/key.ts'
import type { KeyUses } from '../auth/key-uses.ts'
import { signedInAs } from '../auth/scopes.ts'
import { jsonBody, route } from '../http/route.ts'
import { pathId, submit, withId } from '../commands/submit.ts'
import type { CommandsPort, RecordsPort } from '../ports/ports.ts'

interface KeyUsesPort {
  readonly keyUses: Pick<KeyUses, 'lastUsed'>
}

const scope = signedInAs(...managingRoles)

const listKeys = route('GET /api-keys', 'listApiKeys', {
  summary: 'All keys of the company, oldest first',
  description: '`lastUsedAt` is accurate to about a minute.',
  scope,
  output: apiKeyList,
  async handle({ caller }, { records, keyUses }: RecordsPort & KeyUsesPort) {
    const keys = records.list('key', caller().company.id)
    const lastUsed = await keyUses.lastUsed(keys.map(({ id }) => id))
    return keys.map(key => shownKey(key, lastUsed.get(key.id)))
  },
})

const postKey = route('POST /api-keys', 'createApiKey', {
  summary: 'Create a key; only this response contains its value',
  scope,
  description:
    'A repeat with the same `Idempotency-Key` returns the same key with `key` null, because its value is not stored. Delete that key and create another one.',
  body: jsonBody(apiKeyInput),
  keyed: {},
  output: newApiKey,
  async handle({ caller, body }, deps: CommandsPort) {
    const value = generateKey()
    const hash = hashKey(value)
    const made = await submit(deps, caller(), 'key.create', { ...body, hash })
    return { ...shownKey(made), key: made.hash === hash ? value : null }
  },
})

const patchKey = route('PATCH /api-keys/:id', 'updateApiKey', {
  example: { id: exampleIds.apiKey },
  summary: 'Rename a key, change its scopes, disable it or enable it again',
  description: 'Omitted fields stay unchanged. The change applies to the next request, in every process.',
  scope,
  body: jsonBody(apiKeyPatch),
  output: apiKey,
  async handle({ caller, params, body }, deps: CommandsPort & RecordsPort & KeyUsesPort) {
    await submit(deps, caller(), 'key.patch', withId(body, pathId(params)))
    const key = deps.records.get('key', caller().company.id, pathId(params))
    if (!key) throw notFound()
    return shownKey(key, (await deps.keyUses.lastUsed([key.id])).get(key.id))
  },
})

const deleteKey = route('DELETE /api-keys/:id', 'deleteApiKey', {
  example: { id: exampleIds.apiKey },
  summary: 'Delete a key, which is invalid from the next request on',
  scope,
  output: nullSchema,
  async handle({ caller, params }, deps: CommandsPort) {
    await submit(deps, caller(), 'key.delete', withId({}, pathId(params)))
    return null
  },
})

function shownKey({ id, name, scopes, createdAt, disabledAt = null }: KeyRecord, usedAtMs?: number): ApiKey {
  const lastUsedAt = usedAtMs === undefined ? null : new Date(usedAtMs).toISOString()
  return { id, name, scopes, createdAt, lastUsedAt, disabledAt }
}

export const apiKeyRoutes = [listKeys, postKey, patchKey, deleteKey]
