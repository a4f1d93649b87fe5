import { resultOf } from '../../schema/commands/command-log.ts'
import { ApiError } from '../../schema/errors.ts'
import { name, nullable, object } from '../../schema/types.ts'
import { companyNamed } from './company-named.ts'
import { asService, task } from './task.ts'

/** Gives a company (null: every one) another secret for its user tokens; those signed before are refused. Answers how many companies. */
const rotate = task(object({ company: nullable(name) }), async (context, { company }) => {
  const { config, commands, records } = context
  const file = config.TAKT_TOKEN_SECRET_FILE
  if (file !== null)
    throw new ApiError(
      409,
      'Conflict',
      `The secret is in ${file}: write another one there and start every process again`,
    )
  const meant = company === null ? records.companies() : [companyNamed(company, context)]
  for (const { id } of meant)
    resultOf(await commands.submit('token-secret.rotate', {}, { ...asService, companyId: id }))
  return { companies: meant.length }
})

export const tokenSecretTasks = { 'token-secret-rotate': rotate } as const
