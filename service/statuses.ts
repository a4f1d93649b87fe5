import type { Logger } from 'pino'
import type { Follower, Log } from '../schema/log.ts'
import { topics, type LiveStatus } from '../schema/topics.ts'
import { readLive } from './live-message.ts'

/** The latest status of each machine, as the processors tell it on the live topic. */
export interface Statuses {
  get(machineRef: number): LiveStatus | null
  stop(): Promise<void>
}

/** Starts from `known` (what the store holds) and follows the live topic from now on. */
export async function followStatuses(log: Log, known: readonly LiveStatus[], logger: Logger): Promise<Statuses> {
  const latest = new Map(known.map(status => [status.machine, status]))
  const follower: Follower = await log.follow({
    topic: topics.live,
    from: 'latest',
    onBatch: ({ records }) => {
      for (const { value } of records) {
        for (const status of readLive(value, 'status')?.statuses ?? []) latest.set(status.machine, status)
      }
    },
  })
  follower.caughtUp.catch((error: unknown) => logger.warn({ err: error }, 'live topic not read'))
  return { get: machine => latest.get(machine) ?? null, stop: () => follower.stop() }
}
