import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { ApiError } from '../../schema/errors.ts'
import { name, nullable, object } from '../../schema/types.ts'
import { findCompany } from './company-named.ts'
import { serviceCommand, task } from './task.ts'

/**
 * Replaces the secret of the user tokens of a company (null: of all companies), which invalidates these tokens. Returns
 * the number of companies.
 */
const rotate = task(object({ company: nullable(name) }), async (context, { company }) => {
  const { config, commands, records } = context
  const file = config.TAKT_TOKEN_SECRET_FILE
  if (file !== null)
    throw new ApiError(409, 'Conflict', `The secret is in ${file}: write a new one there and restart every process`)
  const companies = company === null ? records.companies() : [findCompany(company, context)]
  for (const { id } of companies)
    resultOrThrow(await commands.submit('token-secret.rotate', {}, { ...serviceCommand, companyId: id }))
  return { companies: companies.length }
})

export const tokenSecretTasks = { 'token-secret-rotate': rotate } as const
