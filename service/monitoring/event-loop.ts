import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { forgetEndedWork, takeWorkNames } from '../../shared/async/under-way.ts'

export interface EventLoopOptions {
  /** Holds of the event loop that last longer, in ms, are counted and logged. */
  readonly thresholdMs: number
  readonly metrics: Registry
  readonly logger: Logger
}

export interface EventLoopMonitor {
  stop(): void
}

/** Each time wakes a process that may be at rest. */
const tickMs = 30
/** Holds from this length on are logged as warnings. */
const longHoldMs = 1_000
/** Time between two lines of the log about shorter holds. */
const logEveryMs = 10_000

/**
 * Watches for holds of the event loop, by a timer that comes late. Each hold is told with all work that was under way. The cause is
 * one of these, or the garbage collector, or a computer that had no time for this process.
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

/** Most names of work in one line of the log. */
const mostNames = 20

let ofProcess: Registry | null = null

/** Heap, memory, garbage collection, CPU and handles: measured once for the process, however many services run in it. */
function showProcessMetrics(metrics: Registry): void {
  if (ofProcess === null) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: 50 })
  }
  for (const { name } of ofProcess.getMetricsAsArray()) {
    const metric = ofProcess.getSingleMetric(name)
    if (metric) metrics.registerMetric(metric)
  }
}
