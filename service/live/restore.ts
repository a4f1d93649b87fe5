import type { Live } from '../../api/live/sessions/live.ts'
import { readLatestValues } from '../../clickhouse/samples/latest-values.ts'
import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import { withSignals } from '../../shared/async/join-signals.ts'
import { persist } from '../../shared/async/retry.ts'
import { pause } from '../../shared/async/waiting.ts'
import { ingested } from './ingested.ts'
import { knownStatuses, type StatusDeps } from './known-statuses.ts'

interface RestoreDeps extends StatusDeps {
  readonly log: Log
  readonly logger: Logger
  /** Left out: a minute. */
  readonly firstWaitMs?: number
}

/** So long is waited for the store before what it has is read once more; doubles up to the longest. */
const firstWaitMs = 60_000
const longestWaitMs = 900_000
const retryMs = 1_000

/** Fills in the statuses that were told before this process listened. */
export async function restoreStatuses(context: StatusDeps, live: Live): Promise<void> {
  const before = live.statuses.told
  live.restoreStatuses(await knownStatuses(context), before)
}

/** Returns a function that restores all that is live: a call takes the place of one before that is not done. Ends with the signal. */
export function createRestorer(context: RestoreDeps, live: Live, signal: AbortSignal): () => Promise<void> {
  let endBefore = (): void => undefined
  return async () => {
    endBefore()
    const superseded = new AbortController()
    endBefore = () => superseded.abort()
    await withSignals([signal, superseded.signal], joined => restoreLive(context, live, joined))
  }
}

/**
 * Fills in all that was told before this process listened: at the start, and after log or store were away. First what the store has
 * now; then, where samples were still on their way into it, once more, until all of them are there.
 */
async function restoreLive(context: RestoreDeps, live: Live, signal: AbortSignal): Promise<void> {
  const { log, logger } = context
  const restore = () =>
    persist(() => restoreAll(context, live), signal, {
      firstDelayMs: retryMs,
      maxDelayMs: retryMs,
      onRetry: error => logger.warn({ err: error }, 'live state not restored yet'),
    })
  const isIngested = (withinMs: number) =>
    ingested(log, withinMs, { signal }).catch(async (error: unknown) => {
      logger.warn({ err: error }, 'log not asked')
      await pause(withinMs, signal)
      return false
    })
  const ended = live.startRestore()
  let isWhole = false
  try {
    isWhole = await isIngested(0)
    await restore()
    for (let waitMs = context.firstWaitMs ?? firstWaitMs; !isWhole && !signal.aborted; waitMs *= 2) {
      isWhole = await isIngested(Math.min(waitMs, longestWaitMs))
      await restore()
    }
  } finally {
    ended(isWhole && !signal.aborted)
  }
}

async function restoreAll(context: StatusDeps, live: Live): Promise<void> {
  await restoreStatuses(context, live)
  const { records, store, clock } = context
  for (const { id, ref } of records.companies()) {
    const machines = records.machines(id).map(machine => machine.ref)
    for await (const values of readLatestValues(store, ref, machines, clock())) live.restoreValues(values)
  }
  live.tellRestored()
}
