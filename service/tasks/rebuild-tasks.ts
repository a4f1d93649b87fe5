import { rebuildStatus } from '../../processors/partitions/rebuild-status.ts'
import type { RebuildAnswer } from '../../schema/requests/recomputes.ts'
import { ApiError, notFound } from '../../schema/errors.ts'
import type { Log } from '../../log/log.ts'
import { topics, type RebuildProgress } from '../../schema/topics.ts'
import type { Task } from './task.ts'
import type { ServiceContext } from '../context.ts'
import { resultOf } from '../../schema/command-log.ts'
import { readLive } from '../live/message.ts'

/** Payload of `rebuild-start`: a company by its id or name; null: all of them. */
export interface StartRebuild {
  readonly company: string | null
}

/** Payload of `rebuild-status`. */
export interface AskRebuild {
  readonly id: string
}

/** Every processor tells how far it is each second. */
const listenMs = 1500
const timeoutMs = 20_000

async function startRebuild({ commands, records }: ServiceContext, payload: unknown): Promise<RebuildAnswer> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the command line sends
  const { company } = payload as StartRebuild
  const companyId = company === null ? null : companyIdOf(records.companies(), company)
  const rebuild = resultOf(await commands.submit('rebuild.start', {}, { companyId, timeoutMs }))
  return rebuildStatus(rebuild, new Map())
}

function companyIdOf(companies: ReturnType<ServiceContext['records']['companies']>, company: string): string {
  const found = companies.filter(({ id, settings }) => id === company || settings.companyName === company)
  const [only, ...others] = found
  if (!only) throw new ApiError(404, 'NotFound', `There is no company '${company}'`)
  if (others.length > 0) throw new ApiError(400, 'BadRequest', `Several companies are called '${company}': name its id`)
  return only.id
}

async function askRebuild({ log, records }: ServiceContext, payload: unknown): Promise<RebuildAnswer> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the command line sends
  const { id } = payload as AskRebuild
  const told = await listen(log)
  const rebuild = records.rebuilds().find(each => each.id === id)
  if (!rebuild) throw notFound()
  return rebuildStatus(rebuild, told)
}

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

export const rebuildTasks: Readonly<Record<string, Task>> = {
  'rebuild-start': startRebuild,
  'rebuild-status': askRebuild,
}
