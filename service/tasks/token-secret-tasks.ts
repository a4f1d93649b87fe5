import { checkerOf } from '../../schema/check.ts'
import { ApiError, validationError } from '../../schema/errors.ts'
import { name, nullable, object } from '../../schema/types.ts'
import { resultOf } from '../../schema/command-log.ts'
import type { Task } from './task.ts'

const asService = {
  actor: 'command line',
  by: { kind: 'service', name: 'Command line' },
  timeoutMs: 60_000,
} as const

const check = checkerOf(object({ company: nullable(name) }))

/** Gives a company (null: every one) another secret for its user tokens; those signed before are refused. Answers how many companies. */
const rotate: Task = async ({ config, commands, records }, payload): Promise<{ readonly companies: number }> => {
  const file = config.TAKT_TOKEN_SECRET_FILE
  if (file !== null)
    throw new ApiError(
      409,
      'Conflict',
      `The secret is in ${file}: write another one there and start every process again`,
    )
  const checked = check(payload)
  if (!('value' in checked)) throw validationError(checked.faults)
  const { company } = checked.value
  const meant = records
    .companies()
    .filter(({ id, settings }) => company === null || company === id || company === settings.companyName)
  if (meant.length === 0) throw new ApiError(404, 'NotFound', 'There is no such company')
  for (const { id } of meant)
    resultOf(await commands.submit('token-secret.rotate', {}, { ...asService, companyId: id }))
  return { companies: meant.length }
}

export const tokenSecretTasks: Readonly<Record<string, Task>> = { 'token-secret-rotate': rotate }
