import { scopes } from '../../../schema/scopes.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { type CompanyRecord, defaultCompanySettings } from '../../../schema/records/company.ts'
import type { InstallationRecord } from '../../../schema/records/installation.ts'
import type { KeyRecord } from '../../../schema/records/key.ts'
import { logFormat } from '../../../schema/commands/command-log.ts'
import { installationKey } from '../../records/record-ids.ts'
import { type CommandSpec, type Context, changeTo, installationCommand, put } from '../deciding/command.ts'
import { CommandRejection } from '../deciding/command-rejection.ts'
import { newUser, userChange } from './user.ts'
import { asCompanyRef } from '../../../schema/refs.ts'

/** Creates the record of the installation, with a new id, unless it exists. Returns the record. */
const createInstallation: CommandSpec = installationCommand('installation.found', (_, { records, freshId, now }) => {
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
 * Creates the first company, if none exists, and adds the admin key with every scope to the first company, if the key
 * is unknown. Returns {companyId, companyCreated, keyAdded}.
 */
const start: CommandSpec = installationCommand('installation.start', ({ adminKeyHash = null, generated }, context) => {
  const existing = context.records.firstCompany()
  const company = existing ?? newCompany(defaultCompanySettings.companyName, context)
  const isWanted = adminKeyHash !== null && !context.records.keyByHash(adminKeyHash) && !(existing && generated)
  const added = isWanted ? adminKey(company, adminKeyHash, context) : []
  return {
    changes: [...changeTo('company', company.id, existing, company), ...added],
    result: { companyId: company.id, companyCreated: !existing, keyAdded: added.length > 0 },
  }
})

/**
 * Creates a further company with default settings, and optionally with an admin key of every scope and a first user.
 * Returns {companyId}.
 */
const createCompany: CommandSpec = installationCommand(
  'company.create',
  ({ companyName, adminKeyHash = null, admin = null }, context) => {
    if (adminKeyHash !== null && context.records.keyByHash(adminKeyHash))
      throw new CommandRejection(409, 'Conflict', 'The key already exists')
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

export const installationCommands = [createInstallation, start, createCompany]
