import { generateKey, hashKey } from '../../api/auth/key.ts'
import { scopes as allScopes, type Scope } from '../../schema/scopes.ts'
import { list, name, nullable, object, oneOf, text } from '../../schema/types.ts'
import { asService, task } from './checked-task.ts'
import { companyNamed } from './company-named.ts'

import { resultOf } from '../../schema/command-log.ts'
import type { Task } from './task.ts'

/** Payload of `key-create`. */
export interface CreateKey {
  /** Name or id; null: the only one. */
  readonly company: string | null
  readonly name: string
  /** null: every scope. */
  readonly scopes: readonly Scope[] | null
}

/** A key whose value is shown once; only its hash is kept. */
export interface CreatedKey {
  readonly id: string
  readonly companyId: string
  readonly key: string
}

const create = task(
  object({ company: nullable(name), name, scopes: nullable(list(oneOf(allScopes), { maxItems: 100 })) }),
  async (context, { company, name, scopes }): Promise<CreatedKey> => {
    const { id: companyId } = companyNamed(company, context)
    const key = generateKey()
    const payload = { name, scopes: scopes ?? allScopes, hash: hashKey(key) }
    const record = resultOf(await context.commands.submit('key.create', payload, { ...asService, companyId }))
    return { id: record.id, companyId, key }
  },
)

/** Deletes a key that a command had made for itself. */
const remove = task(object({ id: text, companyId: text }), async ({ commands }, { id, companyId }) =>
  resultOf(await commands.submit('key.delete', { id }, { ...asService, companyId })),
)

export const keyTasks: Readonly<Record<string, Task>> = { 'key-create': create, 'key-delete': remove }
