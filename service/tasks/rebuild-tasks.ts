import { rebuildStatus } from '../../processors/partitions/rebuild-status.ts'
import type { RebuildResponse } from '../../schema/requests/recomputes.ts'
import { notFound } from '../../schema/errors.ts'
import type { Log } from '../../log/log.ts'
import { topics, type RebuildProgress } from '../../schema/topics.ts'
import { name, nullable, object, text } from '../../schema/types.ts'
import { findCompany } from './company-named.ts'
import { task } from './task.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { parseLiveMessage } from '../live/message.ts'

/**
 * Time for which published progress is collected: longer than the interval of one second at which processors publish
 * it.
 */
const listenMs = 1500
const timeoutMs = 20_000

/** Starts the rebuild of a company, given by id or name; null: of all companies. */
const startRebuild = task(
  object({ company: nullable(name) }),
  async (context, { company }): Promise<RebuildResponse> => {
    const companyId = company === null ? null : findCompany(company, context).id
    const rebuild = resultOrThrow(await context.commands.submit('rebuild.start', {}, { companyId, timeoutMs }))
    return rebuildStatus(rebuild, new Map())
  },
)

const readRebuild = task(object({ id: text }), async ({ log, records }, { id }): Promise<RebuildResponse> => {
  const progressOf = await collectProgress(log)
  const rebuild = records.rebuilds().find(each => each.id === id)
  if (!rebuild) throw notFound()
  return rebuildStatus(rebuild, progressOf)
})

/** Collects the published progress of processors, by partition of state samples. */
async function collectProgress(log: Log): Promise<ReadonlyMap<number, readonly RebuildProgress[]>> {
  const progressOf = new Map<number, readonly RebuildProgress[]>()
  const follower = await log.follow({
    topic: topics.live,
    from: 'latest',
    onBatch: ({ records }) => {
      for (const { value } of records) {
        const progress = parseLiveMessage(value, 'progress')
        if (progress) progressOf.set(progress.partition, progress.rebuilds)
      }
    },
  })
  await new Promise(resolve => {
    setTimeout(resolve, listenMs)
  })
  await follower.stop()
  return progressOf
}

export const rebuildTasks = {
  'rebuild-start': startRebuild,
  'rebuild-status': readRebuild,
} as const
