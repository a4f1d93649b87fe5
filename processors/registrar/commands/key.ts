import { createHash } from 'node:crypto'
import type { CompanyRecord } from '../../../schema/records/company.ts'
import type { KeyRecord } from '../../../schema/records/key.ts'
import { type CommandSpec, changeTo, companyCommand, put, remove } from '../deciding/command.ts'
import { Refusal, missing } from '../deciding/refusal.ts'
import { disabledAs } from './disabled.ts'

/** A new API key; its value was drawn by the sender, who alone knows it. Answers the record. */
const createKey: CommandSpec = companyCommand('key.create', (payload, { company, records, freshId, now }) => {
  if (records.keyByHash(payload.hash)) throw new Refusal(409, 'Conflict', 'The key exists already')
  const key: KeyRecord = {
    id: freshId(),
    companyId: company.id,
    name: payload.name,
    scopes: [...new Set(payload.scopes)],
    hash: payload.hash,
    createdAt: now,
  }
  return put('key', key.id, null, key)
})

/** Changes a key's name or scopes, disables it or lets it be used again. Answers the record. */
const patchKey: CommandSpec = companyCommand('key.patch', (payload, { company, records, now }) => {
  const before = records.get('key', company.id, payload.id)
  if (!before) throw missing()
  const after: KeyRecord = {
    ...before,
    name: payload.name ?? before.name,
    scopes: payload.scopes ? [...new Set(payload.scopes)] : before.scopes,
    ...disabledAs(payload.disabled, before.disabledAt, now),
  }
  return put('key', before.id, before, after)
})

/** Deletes a key. Answers null. */
const deleteKey: CommandSpec = companyCommand('key.delete', (payload, context) => remove('key', payload.id, context))

/** Makes the secret that the company's user tokens are signed with, where it has none yet. Answers null: the secret is no one's to see. */
const makeTokenSecret: CommandSpec = companyCommand('token-secret.make', (_, { company, freshId }) => {
  if (company.tokenSecret !== undefined) return { changes: [], result: null }
  return newTokenSecret(company, freshId)
})

/** Makes another one: every user token signed before is refused. Answers null. */
const rotateTokenSecret: CommandSpec = companyCommand('token-secret.rotate', (_, { company, freshId }) =>
  newTokenSecret(company, freshId),
)

function newTokenSecret(company: CompanyRecord, freshId: () => string) {
  // Two UUIDs hold 244 random bits.
  const tokenSecret = createHash('sha256').update(`${freshId()} ${freshId()}`).digest('hex')
  return { changes: changeTo('company', company.id, company, { ...company, tokenSecret }), result: null }
}

export const keyCommands = [createKey, patchKey, deleteKey, makeTokenSecret, rotateTokenSecret]
