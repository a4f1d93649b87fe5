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
  /** Resolves when the samples are safe; what it rejects is sent again. */
  readonly send: (batches: readonly WireBatch[]) => Promise<void>
  readonly logger: Logger
  /** UTC ms; the system's clock by default. */
  readonly clock?: () => number
  /** Everything before this instant (UTC ms) was sent by an earlier run; null: nothing was. */
  readonly lastSentMs?: number | null
  /** Told after every step: everything before the instant is sent. */
  readonly onSent?: (sentMs: number) => void
  /** How far back the first start goes, and a restart at most; 48 h by default. */
  readonly fillMs?: number
  /** The values that decide nothing are sent for no more than this of the past; 1 h by default. */
  readonly bulkMs?: number
}

const stepMs = 3_600_000
/** Number of machines per request of a step. */
const machinesOfSend = 200
const samplesOfBatch = 500

/** Fills the past, then sends every second what happened in it. */
export function createSimulator(options: SimulatorOptions): Lifecycle {
  const { plant, logger, clock = Date.now, fillMs = 48 * stepMs, bulkMs = stepMs } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<void> = Promise.resolve()

  async function send(fromMs: number, toMs: number, bulk: boolean): Promise<void> {
    for (let first = 0; first < plant.machines.length; first += machinesOfSend) {
      const batches = batchesOf(plant, first, first + machinesOfSend, { fromMs, toMs, bulk })
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
        logger.info({ filled, until: new Date(sentMs).toISOString() }, `simulated plant: ${filled} % of the past`)
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
      stopping.abort(new Error('the simulator is stopping'))
      await running.catch(() => undefined)
    },
  }
}

/** A `send` that appends to samples.v1, as a gateway would. */
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
    for (let at = 0; at < samples.length; at += samplesOfBatch) {
      batches.push({ machineId, samples: samples.slice(at, at + samplesOfBatch) })
    }
  }
  return batches
}

function floorTo(atMs: number, unitMs: number): number {
  return Math.floor(atMs / unitMs) * unitMs
}
