import type { Live } from '../../api/live/sessions/live.ts'
import { readLatestValues } from '../../clickhouse/samples/latest-values.ts'
import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import { persist } from '../../shared/async/retry.ts'
import { ingested } from './ingested.ts'
import { knownStatuses, type StatusDeps } from './known-statuses.ts'

interface RestoreDeps extends StatusDeps {
  readonly log: Log
  readonly logger: Logger
}

const ingestedWithinMs = 60_000
const retryMs = 1_000

/** Fills in the statuses that were told before this process listened. */
export async function restoreStatuses(context: StatusDeps, live: Live): Promise<void> {
  const before = live.statuses.told
  live.restoreStatuses(await knownStatuses(context), before)
}

/**
 * Fills in all that was told before this process listened: at the start, and after log or store were away. First what the store has
 * now; then, where samples were still on their way into it, once more.
 */
export async function restoreLive(context: RestoreDeps, live: Live, signal: AbortSignal): Promise<void> {
  const { log, logger } = context
  const restore = () =>
    persist(() => restoreAll(context, live), signal, {
      firstDelayMs: retryMs,
      maxDelayMs: retryMs,
      onRetry: error => logger.warn({ err: error }, 'live state not restored yet'),
    })
  const ended = live.startRestore()
  try {
    const isWhole = await ingested(log, 0).catch(() => false)
    await restore()
    if (isWhole || signal.aborted) return
    await ingested(log, ingestedWithinMs).catch((error: unknown) => logger.warn({ err: error }, 'log not asked'))
    await restore()
  } finally {
    ended(!signal.aborted)
  }
}

async function restoreAll(context: StatusDeps, live: Live): Promise<void> {
  await restoreStatuses(context, live)
  const { records, store } = context
  for (const { id, ref } of records.companies()) {
    const machines = records.machines(id).map(machine => machine.ref)
    for await (const values of readLatestValues(store, ref, machines)) live.restoreValues(values)
  }
}
