import type { Live } from '../../api/live/sessions/live.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { createDocumentStore } from '../../clickhouse/documents/documents.ts'
import { readLatestValues } from '../../clickhouse/samples/latest-values.ts'
import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import type { Records } from '../../processors/records/records.ts'
import type { MachineInputCache } from '../../processors/records/machine-input-cache.ts'
import { liveStatus } from '../../processors/timeline/live-status.ts'
import { parseState } from '../../processors/timeline/state.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import type { LiveStatus } from '../../schema/topics.ts'
import { withSignals } from '../../shared/async/join-signals.ts'
import { retryUntilAborted } from '../../shared/async/retry.ts'
import { pause } from '../../shared/async/waiting.ts'
import { hourMs } from '../../shared/time/units.ts'
import { waitUntilStored } from './wait-until-stored.ts'

interface StatusDeps {
  readonly store: Store
  readonly records: Records
  readonly machineInputs: Pick<MachineInputCache, 'parametersOf'>
  /** UTC ms. */
  readonly clock: () => number
}

interface RestoreDeps extends StatusDeps {
  readonly log: Log
  readonly logger: Logger
  /** First wait for pending samples, ms; default: a minute. */
  readonly firstWaitMs?: number
}

/** First wait for pending samples before the store is read again; it doubles up to the maximum. */
const firstWaitMs = 60_000
const maxWaitMs = 900_000
const retryMs = 1_000

/** Restores the statuses that were published before this process followed the live topic. */
export async function restoreStatuses(context: StatusDeps, live: Live): Promise<void> {
  const before = live.statuses.published
  live.restoreStatuses(await readStatuses(context), before)
}

/** Returns a function that restores all live state; a call ends a restoration in progress. Ends with the signal. */
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
 * Restores the live state that this process has not received: at the start, and after an outage of log or store. Reads
 * the store immediately, and again when all samples that were pending are stored.
 */
async function restoreLive(context: RestoreDeps, live: Live, signal: AbortSignal): Promise<void> {
  const { log, logger } = context
  const restore = () =>
    retryUntilAborted(() => restoreAll(context, live), signal, {
      firstDelayMs: retryMs,
      maxDelayMs: retryMs,
      onRetry: error => logger.warn({ err: error }, 'Failed to restore live state, retrying'),
    })
  const isStored = (withinMs: number) =>
    waitUntilStored(log, withinMs, { signal }).catch(async (error: unknown) => {
      logger.warn({ err: error }, 'Failed to query log')
      await pause(withinMs, signal)
      return false
    })
  const ended = live.startRestore()
  let isWhole = false
  try {
    isWhole = await isStored(0)
    await restore()
    for (let waitMs = context.firstWaitMs ?? firstWaitMs; !isWhole && !signal.aborted; waitMs *= 2) {
      isWhole = await isStored(Math.min(waitMs, maxWaitMs))
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
  live.notifyRestored()
}

/**
 * Reads the current status of every machine from stored documents, in the form of the message that processors publish.
 */
async function readStatuses(deps: StatusDeps): Promise<readonly LiveStatus[]> {
  const companies = deps.records.companies()
  const statuses = await Promise.all(companies.map(({ id, ref }) => readCompanyStatuses(deps, id, ref)))
  return statuses.flat()
}

async function readCompanyStatuses(
  { store, records, clock, machineInputs }: StatusDeps,
  companyId: string,
  companyRef: CompanyRef,
): Promise<readonly LiveStatus[]> {
  const nowMs = clock()
  const machines = records.machines(companyId)
  const states = await createDocumentStore(store).readStates(
    companyRef,
    machines.map(({ ref }) => ref),
    Math.floor(nowMs / hourMs) * hourMs,
  )
  return machines.flatMap(machine => {
    const state = states.get(machine.ref)
    return state === undefined ? [] : liveStatus(machineInputs.parametersOf(machine), parseState(state), nowMs)
  })
}
