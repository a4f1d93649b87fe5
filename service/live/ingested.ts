import type { Log } from '../../log/log.ts'
import { groups, topics } from '../../schema/topics.ts'
import { pause } from '../../shared/async/waiting.ts'

const askFirstMs = 50
const askEveryMs = 1_000

/**
 * Resolves once what is in the samples topic now is in the store, `withinMs` have passed or the signal aborts: who has followed the live topic since
 * before finds in the store whatever was told there before. True: all of it is in the store. `ask` is called before each look: what waits for its
 * insert is to be inserted.
 */
export async function ingested(
  log: Log,
  withinMs: number,
  { signal, ask }: { readonly signal?: AbortSignal; readonly ask?: () => void } = {},
): Promise<boolean> {
  const untilMs = performance.now() + withinMs
  const ends = await log.endOffsets(topics.samples)
  for (let waitMs = askFirstMs; ; waitMs = Math.min(askEveryMs, waitMs * 1.2)) {
    ask?.()
    const done = await log.committed(groups.ingest, topics.samples)
    if (ends.every((end, partition) => (done[partition] ?? 0) >= end)) return true
    if (performance.now() > untilMs || signal?.aborted === true) return false
    await pause(waitMs, signal)
  }
}
