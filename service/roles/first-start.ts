import { generateKey, hashKey } from '../../api/auth/key.ts'
import { resultOf } from '../../schema/commands/command-log.ts'
import type { ServiceContext } from '../context.ts'

/** The company that the service started with. */
export interface FirstCompany {
  readonly companyId: string
  /** The admin key that was made up at this first start; null: one was given, or there was a company already. */
  readonly generatedKey: string | null
}

/** How long a process waits for one with the registrar. */
const timeoutMs = 60_000

/** Makes the first company with its key, where there is none; asks for nothing that is there. */
export async function firstStart(context: ServiceContext): Promise<FirstCompany> {
  return knownCompany(context) ?? askForCompany(context)
}

function knownCompany({ config, records }: ServiceContext): FirstCompany | null {
  const [company] = records.companies()
  const key = config.TAKT_ADMIN_KEY
  if (!company || (key !== null && !records.keyByHash(hashKey(key)))) return null
  return { companyId: company.id, generatedKey: null }
}

async function askForCompany({ config, commands }: ServiceContext): Promise<FirstCompany> {
  const generated = config.TAKT_ADMIN_KEY === null ? generateKey() : null
  const adminKeyHash = hashKey(config.TAKT_ADMIN_KEY ?? generated ?? '')
  const payload = { adminKeyHash, generated: generated !== null }
  const answer = resultOf(await commands.submit('installation.start', payload, { companyId: null, timeoutMs }))
  return { companyId: answer.companyId, generatedKey: answer.keyAdded ? generated : null }
}
