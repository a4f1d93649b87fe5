import { rebuildStatus } from '../../processors/partitions/rebuild-status.ts'
import type { RebuildAnswer } from '../../schema/requests/recomputes.ts'
import { notFound } from '../../schema/errors.ts'
import type { Log } from '../../log/log.ts'
import { topics, type RebuildProgress } from '../../schema/topics.ts'
import { name, nullable, object, text } from '../../schema/types.ts'
import { companyNamed } from './company-named.ts'
import { task } from './task.ts'
import { resultOf } from '../../schema/commands/command-log.ts'
import { readLive } from '../live/message.ts'

/** Every processor tells how far it is each second. */
const listenMs = 1500
const timeoutMs = 20_000

/** Starts the rebuild of a company, by its id or name; null: of all of them. */
const startRebuild = task(object({ company: nullable(name) }), async (context, { company }): Promise<RebuildAnswer> => {
  const companyId = company === null ? null : companyNamed(company, context).id
  const rebuild = resultOf(await context.commands.submit('rebuild.start', {}, { companyId, timeoutMs }))
  return rebuildStatus(rebuild, new Map())
})

/** How far a rebuild is. */
const askRebuild = task(object({ id: text }), async ({ log, records }, { id }): Promise<RebuildAnswer> => {
  const told = await listen(log)
  const rebuild = records.rebuilds().find(each => each.id === id)
  if (!rebuild) throw notFound()
  return rebuildStatus(rebuild, told)
})

/** Listens for a while to the progress that each processor tells; by partition of state samples. */
async function listen(log: Log): Promise<ReadonlyMap<number, readonly RebuildProgress[]>> {
  const told = new Map<number, readonly RebuildProgress[]>()
  const follower = await log.follow({
    topic: topics.live,
    from: 'latest',
    onBatch: ({ records }) => {
      for (const { value } of records) {
        const progress = readLive(value, 'progress')
        if (progress) told.set(progress.partition, progress.rebuilds)
      }
    },
  })
  await new Promise(resolve => {
    setTimeout(resolve, listenMs)
  })
  await follower.stop()
  return told
}

export const rebuildTasks = {
  'rebuild-start': startRebuild,
  'rebuild-status': askRebuild,
} as const
