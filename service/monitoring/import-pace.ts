import { processTime, type SchedulerTime } from '../../processors/partitions/batch-scheduler.ts'
import type { LagMeter } from './lag.ts'

/** The live hours are to be right within 5 s of their samples. */
const maxLiveLagSeconds = 2
const pollMs = 250
/** Longest delay of a response: senders repeat a request after a timeout of 10 s or more. */
const maxWaitMs = 5_000

/**
 * Resolves when the lag of the live hours is low, or after 5 s. Imports of history wait for it, so that they take the time that live hours
 * leave. `requestFlush` ends intervals between batches, in which nothing is computed.
 */
export async function waitForLiveHours(
  lag: Pick<LagMeter, 'last'>,
  requestFlush: () => void,
  time: SchedulerTime = processTime,
): Promise<void> {
  const endMs = time.nowMs() + maxWaitMs
  while (lag.last().liveLag.seconds > maxLiveLagSeconds && time.nowMs() < endMs) {
    requestFlush()
    await time.pause(pollMs)
  }
}
