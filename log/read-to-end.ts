import type { FollowOptions, Log } from './log.ts'

/** Reads the records of a topic that exist at the call. Rejects if the topic cannot be read. */
export async function readToEnd(log: Pick<Log, 'follow'>, options: FollowOptions): Promise<void> {
  const follower = await log.follow(options)
  try {
    await follower.caughtUp
  } finally {
    await follower.stop()
  }
}
