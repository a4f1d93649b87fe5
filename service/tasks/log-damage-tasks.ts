import type { LogDamage, LostRecords } from '../../log/log.ts'
import { ApiError } from '../../schema/errors.ts'
import { object } from '../../schema/types.ts'
import type { ServiceContext } from '../context.ts'
import { task } from './task.ts'

/** Lists all lost records, when the check of the log at the start is complete. */
const list = task(object({}), async (context): Promise<readonly LostRecords[]> => {
  const damage = damageOf(context)
  await damage.checked
  return damage.list()
})

/** Accepts the losses of records; returns those that were not accepted before. */
const accept = task(object({}), async (context): Promise<readonly LostRecords[]> => {
  const { logger } = context
  const damage = damageOf(context)
  await damage.checked
  const accepted = await damage.accept()
  for (const loss of accepted) logger.warn(loss, 'Accepted the loss of records')
  return accepted
})

function damageOf({ log }: ServiceContext): LogDamage {
  if (log.damage) return log.damage
  throw new ApiError(409, 'Conflict', 'The log is on Kafka: use the tools of Kafka to find lost records')
}

export const logDamageTasks = { 'log-damage-list': list, 'log-damage-accept': accept } as const
