import type { Log } from '../../log/log.ts'
import { groups, topics } from '../../schema/topics.ts'
import { pause } from '../../shared/async/waiting.ts'

const firstWaitMs = 50
const maxWaitMs = 1_000

/**
 * Resolves to true when the store contains every sample that the samples topic has now, to false after `withinMs` or an
 * abort. A follower of the live topic then finds in the store all values that it received before the call.
 * `requestFlush` is called before each check and may request the insert of pending samples.
 */
export async function waitUntilStored(
  log: Log,
  withinMs: number,
  { signal, requestFlush }: { readonly signal?: AbortSignal; readonly requestFlush?: () => void } = {},
): Promise<boolean> {
  const untilMs = performance.now() + withinMs
  const ends = await log.endOffsets(topics.samples)
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(maxWaitMs, waitMs * 1.2)) {
    requestFlush?.()
    const done = await log.committed(groups.ingest, topics.samples)
    if (ends.every((end, partition) => (done[partition] ?? 0) >= end)) return true
    if (performance.now() > untilMs || signal?.aborted === true) return false
    await pause(waitMs, signal)
  }
}
