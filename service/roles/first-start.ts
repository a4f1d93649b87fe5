import { generateKey, hashKey } from '../../api/auth/key.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { ServiceContext } from '../context.ts'

/** The first company of the installation. */
export interface FirstCompany {
  readonly companyId: string
  /**
   * The admin key that this start generated; null: a key was supplied, none was requested, or the company already
   * existed.
   */
  readonly generatedKey: string | null
}

/** Maximum time for the registrar, possibly of another process, to create the company. */
const timeoutMs = 60_000

/** Creates the first company, if there is none, with the supplied admin key or, if `generatesKey`, a generated key. */
export async function ensureFirstCompany(context: ServiceContext, generatesKey: boolean): Promise<FirstCompany> {
  return findFirstCompany(context) ?? createFirstCompany(context, generatesKey)
}

function findFirstCompany({ config, records }: ServiceContext): FirstCompany | null {
  const company = records.firstCompany()
  const key = config.TAKT_ADMIN_KEY
  if (!company || (key !== null && !records.keyByHash(hashKey(key)))) return null
  return { companyId: company.id, generatedKey: null }
}

async function createFirstCompany({ config, commands }: ServiceContext, generatesKey: boolean): Promise<FirstCompany> {
  const generated = config.TAKT_ADMIN_KEY === null && generatesKey ? generateKey() : null
  const key = config.TAKT_ADMIN_KEY ?? generated
  const payload = key === null ? {} : { adminKeyHash: hashKey(key), generated: generated !== null }
  const outcome = resultOrThrow(await commands.submit('installation.start', payload, { companyId: null, timeoutMs }))
  return { companyId: outcome.companyId, generatedKey: outcome.keyAdded ? generated : null }
}
