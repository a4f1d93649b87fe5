import { createHash } from 'node:crypto'
import type { CompanyRecord } from '../../../schema/records/company.ts'
import type { KeyRecord } from '../../../schema/records/key.ts'
import { type CommandSpec, changeTo, companyCommand, put, remove } from '../deciding/command.ts'
import { CommandRejection, notFound } from '../deciding/command-rejection.ts'
import { disabledField } from './disabled.ts'

/** Creates an API key. The sender generates its value; the record contains only the hash. Returns the record. */
const createKey: CommandSpec = companyCommand('key.create', (payload, { company, records, freshId, now }) => {
  if (records.keyByHash(payload.hash)) throw new CommandRejection(409, 'Conflict', 'The key already exists')
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

/** Changes the name or scopes of a key, disables or enables it. Returns the record. */
const patchKey: CommandSpec = companyCommand('key.patch', (payload, { company, records, now }) => {
  const before = records.get('key', company.id, payload.id)
  if (!before) throw notFound()
  const after: KeyRecord = {
    ...before,
    name: payload.name ?? before.name,
    scopes: payload.scopes ? [...new Set(payload.scopes)] : before.scopes,
    ...disabledField(payload.disabled, before.disabledAt, now),
  }
  return put('key', before.id, before, after)
})

/** Deletes a key. Returns null. */
const deleteKey: CommandSpec = companyCommand('key.delete', (payload, context) => remove('key', payload.id, context))

/**
 * Creates the secret that signs the company's user tokens, unless it exists. Returns null, because no response contains
 * the secret.
 */
const makeTokenSecret: CommandSpec = companyCommand('token-secret.make', (_, { company, freshId }) => {
  if (company.tokenSecret !== undefined) return { changes: [], result: null }
  return newTokenSecret(company, freshId)
})

/** Replaces the secret: every user token signed before becomes invalid. Returns null. */
const rotateTokenSecret: CommandSpec = companyCommand('token-secret.rotate', (_, { company, freshId }) =>
  newTokenSecret(company, freshId),
)

function newTokenSecret(company: CompanyRecord, freshId: () => string) {
  // Two UUIDs contain 244 random bits.
  const tokenSecret = createHash('sha256').update(`${freshId()} ${freshId()}`).digest('hex')
  return { changes: changeTo('company', company.id, company, { ...company, tokenSecret }), result: null }
}

export const keyCommands = [createKey, patchKey, deleteKey, makeTokenSecret, rotateTokenSecret]
