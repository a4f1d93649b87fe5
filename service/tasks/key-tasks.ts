import { generateKey, hashKey } from '../../api/auth/key.ts'
import { scopes as allScopes } from '../../schema/scopes.ts'
import { list, name, nullable, object, oneOf, text } from '../../schema/types.ts'
import { serviceCommand, task } from './task.ts'
import { findCompany } from './company-named.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'

/** A new key, which is shown only once, because only its hash is stored. */
interface CreatedKey {
  readonly id: string
  readonly companyId: string
  readonly key: string
}

/** Creates a key of a company, given by name or id; null: the only company. `scopes: null`: all scopes. */
const create = task(
  object({ company: nullable(name), name, scopes: nullable(list(oneOf(allScopes), { maxItems: 100 })) }),
  async (context, { company, name, scopes }): Promise<CreatedKey> => {
    const { id: companyId } = findCompany(company, context)
    const key = generateKey()
    const payload = { name, scopes: scopes ?? allScopes, hash: hashKey(key) }
    const record = resultOrThrow(await context.commands.submit('key.create', payload, { ...serviceCommand, companyId }))
    return { id: record.id, companyId, key }
  },
)

/** Deletes the temporary key of a command. */
const remove = task(object({ id: text, companyId: text }), async ({ commands }, { id, companyId }) =>
  resultOrThrow(await commands.submit('key.delete', { id }, { ...serviceCommand, companyId })),
)

export const keyTasks = { 'key-create': create, 'key-delete': remove } as const
