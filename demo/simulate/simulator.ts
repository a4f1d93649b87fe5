import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../log/log.ts'
import { topics, type WireBatch } from '../../schema/topics.ts'
import type { Lifecycle } from '../../shared/async/lifecycle.ts'
import { retry } from '../../shared/async/retry.ts'
import type { Logger } from '../../ingest/consume/ports.ts'
import type { Plant } from './plant.ts'
import { secondMs } from '../../shared/time/units.ts'

export interface SimulatorOptions {
  readonly plant: Plant
  /** Sends samples; resolves when they are stored durably. If it rejects, they are sent again. */
  readonly send: (batches: readonly WireBatch[]) => Promise<void>
  readonly logger: Logger
  /** Returns the current time, UTC ms. Default: `Date.now`. */
  readonly clock?: () => number
  /** All samples before this instant (UTC ms) were sent by an earlier run; null if there was none. */
  readonly lastSentMs?: number | null
  /** Called after every step: all samples before `sentMs` were sent. */
  readonly onSent?: (sentMs: number) => void
  /** Maximum duration of generated history, ms; default: 48 h. */
  readonly fillMs?: number
  /** Duration of history for which samples that do not change state are generated too, ms; default: 1 h. */
  readonly bulkMs?: number
}

const stepMs = 3_600_000
const machinesPerSend = 200
const samplesPerBatch = 500

/** Creates a simulator that sends the history, then the samples of each second in real time. */
export function createSimulator(options: SimulatorOptions): Lifecycle {
  const { plant, logger, clock = Date.now, fillMs = 48 * stepMs, bulkMs = stepMs } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<void> = Promise.resolve()

  async function send(fromMs: number, toMs: number, bulk: boolean): Promise<void> {
    for (let first = 0; first < plant.machines.length; first += machinesPerSend) {
      const batches = batchesOf(plant, first, first + machinesPerSend, { fromMs, toMs, bulk })
      if (batches.length === 0) continue
      await retry(() => options.send(batches), {
        signal,
        onRetry: error => logger.warn({ err: error }, 'Failed to send simulated samples, retrying'),
      })
    }
    options.onSent?.(toMs)
  }

  async function fill(startMs: number): Promise<number> {
    const bulkFromMs = floorTo(clock() - bulkMs, secondMs)
    let sentMs = startMs
    while (!signal.aborted && clock() - sentMs > 2 * secondMs) {
      const bulk = sentMs >= bulkFromMs
      const nowMs = floorTo(clock(), secondMs)
      const toMs = Math.min(sentMs + stepMs, bulk ? nowMs : bulkFromMs, nowMs)
      await send(sentMs, toMs, bulk)
      sentMs = toMs
      const filled = Math.round((100 * (sentMs - startMs)) / (nowMs - startMs))
      if (filled < 100)
        logger.info(
          { percent: filled, until: new Date(sentMs).toISOString() },
          'Generated part of the history of the simulated plant',
        )
    }
    return sentMs
  }

  async function follow(fromMs: number): Promise<void> {
    let sentMs = fromMs
    while (!signal.aborted) {
      await sleep(secondMs - (clock() % secondMs), undefined, { signal })
      const toMs = floorTo(clock(), secondMs)
      if (toMs <= sentMs) continue
      await send(sentMs, toMs, true)
      sentMs = toMs
    }
  }

  async function simulate(): Promise<void> {
    const earliestMs = floorTo(clock() - fillMs, secondMs)
    const startMs = Math.max(earliestMs, floorTo(options.lastSentMs ?? earliestMs, secondMs))
    try {
      await follow(await fill(startMs))
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  return {
    run: () => (running = simulate()),
    async stop() {
      stopping.abort(new Error('The simulator is stopping'))
      await running.catch(() => undefined)
    },
  }
}

/** Returns a `send` that appends to samples.v1, as a gateway would. */
export function sendToLog(log: Pick<Log, 'append'>): SimulatorOptions['send'] {
  return async batches => {
    const records = batches.map(batch => ({ key: batch.machineId, value: Buffer.from(JSON.stringify(batch)) }))
    await log.append(topics.samples, records)
  }
}

function batchesOf(
  plant: Plant,
  first: number,
  end: number,
  { fromMs, toMs, bulk }: { fromMs: number; toMs: number; bulk: boolean },
): readonly WireBatch[] {
  const batches: WireBatch[] = []
  for (const { id: machineId, index } of plant.machines.slice(first, end)) {
    const samples = plant.samples(index, fromMs, toMs, { bulk })
    for (let at = 0; at < samples.length; at += samplesPerBatch) {
      batches.push({ machineId, samples: samples.slice(at, at + samplesPerBatch) })
    }
  }
  return batches
}

function floorTo(atMs: number, unitMs: number): number {
  return Math.floor(atMs / unitMs) * unitMs
}
