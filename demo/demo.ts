import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../ingest/consume/ports.ts'
import type { Log } from '../log/log.ts'
import { runsStartMs } from './simulate/demo-actions.ts'
import type { DemoLanguage } from './simulate/language.ts'
import { createPlant } from './simulate/plant.ts'
import { createSimulator, sendToLog } from './simulate/simulator.ts'
import { createRecords } from './create-records.ts'
import { executeActions } from './execute-actions.ts'
import { PlantAgent } from './plant-agent.ts'
import { createPlantClient, type PlantClientOptions } from './plant-client.ts'
import { type DemoProgress, progressFile, readProgress, writeProgress } from './progress-file.ts'
import type { SimulatedHistory } from '../schema/topics.ts'
import { deferred } from '../shared/async/deferred.ts'
import { hourMs } from '../shared/time/units.ts'
import { crashOnRejection } from '../shared/async/crash-on-rejection.ts'

/** Settings of a simulated plant. */
export interface DemoSettings {
  /** Folder of the file with the progress of the simulation. */
  readonly dataDir: string
  readonly machines: number
  /** Seed of the simulation: equal seeds generate equal samples. */
  readonly seed: number
  /** Hours of history that the first start generates. */
  readonly hours: number
  /** Language of the names of its records; default: English. */
  readonly language?: DemoLanguage
}

export interface DemoOptions extends Pick<PlantClientOptions, 'companyId' | 'records' | 'commands'> {
  readonly log: Log
  readonly settings: DemoSettings
  readonly logger: Logger
  /** Returns the current time, UTC ms. Default: `Date.now`. */
  readonly clock?: () => number
  /**
   * Whether one machine is read through an MTConnect agent and a connector. The service must run connectors, and allow
   * addresses of this host.
   */
  readonly hasAgent?: boolean
  /** Called after each step of generating the history. */
  readonly onHistory?: (history: SimulatedHistory) => void
  /** Called when the simulation stops unexpectedly. */
  readonly onFailure?: (error: unknown) => void
}

/** A running simulation of a plant. */
export interface Demo {
  /**
   * Resolves when the history is complete and samples are sent in real time; rejects if the simulation stops before.
   */
  readonly live: Promise<void>
  /** Stops after the work in progress, and stores the progress. */
  stop(): Promise<void>
}

/**
 * Machine-hours of history for which samples that do not change state are generated too: they are most of a machine's
 * samples.
 */
const bulkMachineHours = 50
const actionIntervalMs = 10_000
/** Samples that are at most this old count as live, ms. */
const nearMs = 3_000

/**
 * Starts a simulated plant: creates missing records, generates the history (at the first start `settings.hours`, later
 * the time since the last stop), then sends samples in real time. Repeated samples and actions have no effect.
 */
export function startDemo({ log, settings, logger, clock = Date.now, ...options }: DemoOptions): Demo {
  const stopping = new AbortController()
  const { signal } = stopping
  const path = join(settings.dataDir, progressFile)
  const plant = createPlant({ ...settings, isDaily: true })
  const client = createPlantClient({ ...options, logger, signal })
  const agent = options.hasAgent === true ? new PlantAgent({ plant, client, clock }) : null
  const live = deferred<void>()
  live.promise.catch(() => undefined)

  async function run(): Promise<void> {
    const startMs = clock()
    const firstMs = startMs - settings.hours * hourMs
    const before = await readProgress(path)
    // The records may not have the connector yet when it was just created: the progress before this start decides.
    const mayCreate = before?.hasConnector !== true
    const progress = createProgressKeeper(path, before ?? { sentMs: firstMs, actedMs: runsStartMs(firstMs) })
    // A new machine needs the job run that is in progress.
    if (await createRecords(client, plant, { fromMs: firstMs, toMs: startMs }))
      progress.set({ actedMs: Math.min(progress.now().actedMs, runsStartMs(startMs)) })
    await executePending(progress)
    const fromMs = progress.now().sentMs
    const toLog = sendToLog(log)
    const simulator = createSimulator({
      plant,
      async send(batches) {
        const { sentMs } = progress.now()
        if (agent !== null && clock() - sentMs < nearMs && (await agent.start(sentMs, { mayCreate })))
          progress.set({ hasConnector: true })
        await toLog(agent?.others(batches) ?? batches)
        // Last, because a rejected batch is sent again.
        agent?.add(batches)
      },
      logger,
      clock,
      lastSentMs: fromMs,
      // Continues from the last sent sample, regardless of its age.
      fillMs: Infinity,
      bulkMs: hourMs * Math.min(1, bulkMachineHours / settings.machines),
      onSent: sentMs => {
        progress.set({ sentMs })
        publishHistory(sentMs)
      },
    })
    const publishHistory = (sentMs: number) => {
      const nowMs = clock()
      const isNear = nowMs - sentMs < nearMs
      options.onHistory?.({ fromMs, sentMs, isComplete: isNear })
      if (isNear) live.resolve()
    }
    publishHistory(fromMs)
    signal.addEventListener('abort', () => crashOnRejection(simulator.stop()), { once: true })
    await Promise.all([simulator.run(), follow(progress)])
    await progress.save()
  }

  async function executePending(progress: ProgressKeeper): Promise<void> {
    const toMs = clock()
    await executeActions(client, plant, progress.now().actedMs, toMs)
    progress.set({ actedMs: toMs })
    await progress.save()
  }

  async function follow(progress: ProgressKeeper): Promise<void> {
    while (!signal.aborted) {
      await sleep(actionIntervalMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await executePending(progress)
    }
  }

  const isLeft = () =>
    plant.machines.every(({ id }) => options.records.get('machine', options.companyId, id)?.decommissionedAt != null)
  const removeListener = options.records.onChange(({ kind }) => {
    if (kind === 'machine' && isLeft()) stopping.abort(new Error('The user has left the simulated plant'))
  })

  const running = run()
    .catch((error: unknown) => {
      if (!signal.aborted) options.onFailure?.(error)
      live.reject(error)
    })
    .then(() => agent?.stop())
  return {
    live: live.promise,
    async stop() {
      removeListener()
      stopping.abort(new Error('The simulated plant is stopping'))
      await running
      live.reject(signal.reason)
    },
  }
}

interface ProgressKeeper {
  now(): DemoProgress
  set(progress: Partial<DemoProgress>): void
  save(): Promise<void>
}

function createProgressKeeper(path: string, start: DemoProgress): ProgressKeeper {
  let progress = start
  return {
    now: () => progress,
    set: changes => {
      progress = { ...progress, ...changes }
    },
    save: () => writeProgress(path, progress),
  }
}
