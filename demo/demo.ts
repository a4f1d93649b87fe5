import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../ingest/consume/ports.ts'
import type { Log } from '../log/log.ts'
import { createPlant } from './simulate/plant.ts'
import { createSimulator, sendToLog } from './simulate/simulator.ts'
import { createRecords } from './create-records.ts'
import { doActs } from './do-acts.ts'
import { createPlantClient, type PlantClientOptions } from './plant-client.ts'
import { type DemoProgress, progressFile, readProgress, writeProgress } from './progress-file.ts'
import type { SimulatedHistory } from '../schema/topics.ts'
import { deferred } from '../shared/async/deferred.ts'
import { hourMs } from '../shared/time/units.ts'
import { neverRejects } from '../shared/async/never-rejects.ts'

/** Settings of a simulated plant. */
export interface DemoSettings {
  /** Folder that remembers how far the plant came. */
  readonly dataDir: string
  readonly machines: number
  /** Seed of the simulation: equal seeds give equal samples. */
  readonly seed: number
  /** Hours of the past that the first start fills. */
  readonly hours: number
}

export interface DemoOptions extends Pick<PlantClientOptions, 'companyId' | 'records' | 'commands'> {
  readonly log: Log
  readonly settings: DemoSettings
  readonly logger: Logger
  /** UTC ms; the system's clock by default. */
  readonly clock?: () => number
  /** Called after each step of the history. */
  readonly onHistory?: (history: SimulatedHistory) => void
  /** Called when the simulation stops unexpectedly. */
  readonly onFailure?: (error: unknown) => void
}

/** A simulated plant that runs. */
export interface Demo {
  /** Resolves when the past is filled and the plant goes with the clock; rejects if it never gets there. */
  readonly live: Promise<void>
  /** Ends after what is under way, and remembers how far it came. */
  stop(): Promise<void>
}

/** Runs and sign-ins last no longer. */
const lotMs = 24 * hourMs
/** So many machine-hours of the past get the values that decide nothing, the most of what a machine sends. */
const bulkMachineHours = 50
const actsEveryMs = 10_000
/** Samples this near to the clock count as live. */
const nearMs = 3_000

/**
 * Runs a simulated plant: creates its records where they are missing, fills the past (at the first start as many hours as the
 * settings say, later all that was missed) and then goes with the clock. Twice the same samples or acts change nothing.
 */
export function startDemo({ log, settings, logger, clock = Date.now, ...options }: DemoOptions): Demo {
  const stopping = new AbortController()
  const { signal } = stopping
  const path = join(settings.dataDir, progressFile)
  const plant = createPlant({ seed: settings.seed, machines: settings.machines, isDaily: true })
  const client = createPlantClient({ ...options, logger, signal })
  const live = deferred<void>()
  live.promise.catch(() => undefined)

  async function run(): Promise<void> {
    const startMs = clock()
    const firstMs = startMs - settings.hours * hourMs
    const before = await readProgress(path)
    const progress = createProgressKeeper(path, before ?? { sentMs: firstMs, actedMs: firstMs - lotMs })
    // A new machine needs the job that it is at.
    if (await createRecords(client, plant)) progress.set({ actedMs: Math.min(progress.now().actedMs, startMs - lotMs) })
    await act(progress)
    const fromMs = progress.now().sentMs
    const simulator = createSimulator({
      plant,
      send: sendToLog(log),
      logger,
      clock,
      lastSentMs: fromMs,
      // From where it stopped, however long ago that was.
      fillMs: Infinity,
      bulkMs: hourMs * Math.min(1, bulkMachineHours / settings.machines),
      onSent: sentMs => {
        progress.set({ sentMs })
        tell(sentMs)
      },
    })
    const tell = (sentMs: number) => {
      const nowMs = clock()
      const isNear = nowMs - sentMs < nearMs
      options.onHistory?.({ fromMs, sentMs, isComplete: isNear })
      if (isNear) live.resolve()
    }
    tell(fromMs)
    signal.addEventListener('abort', () => neverRejects(simulator.stop()), { once: true })
    await Promise.all([simulator.run(), follow(progress)])
    await progress.save()
  }

  async function act(progress: ProgressKeeper): Promise<void> {
    const toMs = clock()
    await doActs(client, plant, progress.now().actedMs, toMs)
    progress.set({ actedMs: toMs })
    await progress.save()
  }

  async function follow(progress: ProgressKeeper): Promise<void> {
    while (!signal.aborted) {
      await sleep(actsEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await act(progress)
    }
  }

  const isLeft = () =>
    plant.machines.every(({ id }) => options.records.get('machine', options.companyId, id)?.decommissionedAt != null)
  const forget = options.records.onChange(({ kind }) => {
    if (kind === 'machine' && isLeft()) stopping.abort(new Error('the simulated plant was left'))
  })

  const running = run().catch((error: unknown) => {
    if (!signal.aborted) options.onFailure?.(error)
    live.reject(error)
  })
  return {
    live: live.promise,
    async stop() {
      forget()
      stopping.abort(new Error('the simulated plant is stopping'))
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
    set: news => {
      progress = { ...progress, ...news }
    },
    save: () => writeProgress(path, progress),
  }
}
