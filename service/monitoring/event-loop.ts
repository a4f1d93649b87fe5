import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { forgetEndedWork, takeWorkNames } from '../../shared/async/under-way.ts'

export interface EventLoopOptions {
  /** What holds the event loop for longer is counted and logged. */
  readonly thresholdMs: number
  readonly metrics: Registry
  readonly logger: Logger
}

export interface EventLoopMonitor {
  stop(): void
}

const tickMs = 10
/** From here on a hold is a warning. */
const longHoldMs = 1_000
/** Between two lines of the log about holds that are not long. */
const logEveryMs = 10_000

/**
 * Watches for what holds the event loop, by a timer that comes late. A hold is told with all that was under way: one of it is the
 * cause, or the garbage collector, or a computer that had no time for this process.
 */
export function watchEventLoop({ thresholdMs, metrics, logger }: EventLoopOptions): EventLoopMonitor {
  showProcessMetrics(metrics)
  const holds = new Counter({
    name: 'takt_event_loop_holds_total',
    help: 'Times the event loop was held for longer than TAKT_EVENT_LOOP_HOLD_MS, counted for each work under way.',
    labelNames: ['work'],
    registers: [metrics],
  })
  let lastMs = performance.now()
  let loggedMs = -Infinity
  let unlogged = 0
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const heldMs = Math.max(0, nowMs - lastMs - tickMs)
    lastMs = nowMs
    if (heldMs <= thresholdMs) return forgetEndedWork()
    const underWay = takeWorkNames()
    for (const work of underWay.length > 0 ? underWay : ['none']) holds.inc({ work })
    const isLong = heldMs >= longHoldMs
    if (!isLong && nowMs - loggedMs < logEveryMs) {
      unlogged += 1
      return
    }
    const told = { heldMs: Math.round(heldMs), underWay: underWay.slice(0, mostNames), unlogged }
    logger[isLong ? 'warn' : 'info'](told, 'the event loop was held')
    loggedMs = nowMs
    unlogged = 0
  }, tickMs).unref()
  return { stop: () => clearInterval(timer) }
}

/** In one line of the log. */
const mostNames = 20

let ofProcess: Registry | null = null

/** Heap, memory, garbage collection, CPU and handles: measured once for the process, however many services run in it. */
function showProcessMetrics(metrics: Registry): void {
  if (ofProcess === null) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  for (const { name } of ofProcess.getMetricsAsArray()) {
    const metric = ofProcess.getSingleMetric(name)
    if (metric) metrics.registerMetric(metric)
  }
}
