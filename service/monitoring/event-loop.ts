import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { every } from '../../shared/async/every.ts'
import { clearEndedWork, collectWorkNames } from '../../shared/async/work-in-progress.ts'

/** Threshold and outputs of the monitor. */
export interface EventLoopOptions {
  /** Blocking of the event loop for longer than this, in ms, is counted and logged. */
  readonly thresholdMs: number
  readonly metrics: Registry
  readonly logger: Logger
}

export interface EventLoopMonitor {
  stop(): void
}

/** Interval of the timer; a shorter one would wake an idle process more often. */
const tickMs = 30
/** Blocking for at least this time is logged as a warning. */
const longBlockMs = 1_000
/** Minimum time between log lines about shorter blocking. */
const logEveryMs = 10_000

/**
 * Detects blocking of the event loop by a delayed timer, and reports it with all work in progress. The cause is that
 * work, the garbage collector, or a lack of CPU time on this computer.
 */
export function watchEventLoop({ thresholdMs, metrics, logger }: EventLoopOptions): EventLoopMonitor {
  registerProcessMetrics(metrics)
  const holds = new Counter({
    name: 'takt_event_loop_holds_total',
    help: 'Number of times the event loop was blocked for longer than TAKT_EVENT_LOOP_HOLD_MS, counted for each work in progress.',
    labelNames: ['work'],
    registers: [metrics],
  })
  let lastMs = performance.now()
  let loggedMs = -Infinity
  let unlogged = 0
  const stop = every(tickMs, () => {
    const nowMs = performance.now()
    const blockedMs = Math.max(0, nowMs - lastMs - tickMs)
    lastMs = nowMs
    if (blockedMs <= thresholdMs) return clearEndedWork()
    const workNames = collectWorkNames()
    for (const work of workNames.length > 0 ? workNames : ['none']) holds.inc({ work })
    const isLong = blockedMs >= longBlockMs
    if (!isLong && nowMs - loggedMs < logEveryMs) {
      unlogged += 1
      return
    }
    const fields = { blockedMs: Math.round(blockedMs), workNames: workNames.slice(0, maxNames), unlogged }
    logger[isLong ? 'warn' : 'info'](fields, 'Event loop was blocked')
    loggedMs = nowMs
    unlogged = 0
  })
  return { stop }
}

/** Limit of work names in a log line. */
const maxNames = 20

let ofProcess: Registry | null = null

/**
 * Registers the metrics of heap, memory, garbage collection, CPU and handles: once per process, even if it contains
 * several services.
 */
function registerProcessMetrics(metrics: Registry): void {
  if (ofProcess === null) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: 50 })
  }
  for (const { name } of ofProcess.getMetricsAsArray()) {
    const metric = ofProcess.getSingleMetric(name)
    if (metric) metrics.registerMetric(metric)
  }
}
