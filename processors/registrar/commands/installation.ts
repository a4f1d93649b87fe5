import { scopes } from '../../../schema/scopes.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { type CompanyRecord, defaultCompanySettings } from '../../../schema/records/company.ts'
import type { InstallationRecord } from '../../../schema/records/installation.ts'
import type { KeyRecord } from '../../../schema/records/key.ts'
import { logFormat } from '../../../schema/commands/command-log.ts'
import { installationKey } from '../../records/record-ids.ts'
import { type CommandSpec, type Context, changeTo, installationCommand, put } from '../deciding/command.ts'
import { Refusal } from '../deciding/refusal.ts'
import { newUser, userChange } from './user.ts'
import { asCompanyRef } from '../../../schema/refs.ts'

/** Assigns an id to an installation without one. Returns the record. */
const found: CommandSpec = installationCommand('installation.found', (_, { records, freshId, now }) => {
  const before = records.installation()
  const fresh: InstallationRecord = {
    id: installationKey,
    installationId: freshId(),
    format: logFormat,
    createdAt: now,
    adoptedAt: null,
    commandOffsetBase: 0,
    highestRefs: {},
  }
  return put('installation', installationKey, before, before ?? fresh)
})

/**
 * The first start makes the first company, with an admin key that has every scope; a later start with a key that isn't known adds
 * it to the first company. Answers {companyId, companyCreated, keyAdded}.
 */
const start: CommandSpec = installationCommand('installation.start', ({ adminKeyHash = null, generated }, context) => {
  const existing = context.records.companies()[0] ?? null
  const company = existing ?? newCompany(defaultCompanySettings.companyName, context)
  const isWanted = adminKeyHash !== null && !context.records.keyByHash(adminKeyHash) && !(existing && generated)
  const added = isWanted ? adminKey(company, adminKeyHash, context) : []
  return {
    changes: [...changeTo('company', company.id, existing, company), ...added],
    result: { companyId: company.id, companyCreated: !existing, keyAdded: added.length > 0 },
  }
})

/** Another company, with default settings and perhaps a key of every scope and a user. Answers {companyId}. */
const createCompany: CommandSpec = installationCommand(
  'company.create',
  ({ companyName, adminKeyHash = null, admin = null }, context) => {
    if (adminKeyHash !== null && context.records.keyByHash(adminKeyHash))
      throw new Refusal(409, 'Conflict', 'The key exists already')
    const company = newCompany(companyName, context)
    const key = adminKeyHash === null ? [] : adminKey(company, adminKeyHash, context)
    const user = admin === null ? [] : userChange(newUser({ ...admin, role: 'it_admin' }, company, context))
    return {
      changes: [...changeTo('company', company.id, null, company), ...key, ...user],
      result: { companyId: company.id },
    }
  },
)

function newCompany(companyName: string, { freshId, nextRef }: Context): CompanyRecord {
  return { id: freshId(), ref: asCompanyRef(nextRef('company')), settings: { ...defaultCompanySettings, companyName } }
}

function adminKey(company: CompanyRecord, hash: string, { freshId, now }: Context): Change[] {
  const key: KeyRecord = {
    id: freshId(),
    companyId: company.id,
    name: 'Admin',
    scopes: [...scopes],
    hash,
    createdAt: now,
  }
  return changeTo('key', key.id, null, key)
}

export const installationCommands = [found, start, createCompany]
