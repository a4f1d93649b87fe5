import type { Logger } from 'pino'
import { startWatchdog } from './watchdog.ts'

/** Something that can be ended. */
export interface Running {
  /** Takes no further connection and drops those there are, now. */
  closePorts(): void
  /** Finishes what is in flight within so many milliseconds and makes durable what was accepted. */
  stop(withinMs?: number): Promise<void>
}

export interface ProcessEnd {
  /** The process now runs this, which is stopped before it ends. */
  runs(running: Running): void
  /** Ends the process for this cause: it is logged, ports are closed at once, and the process is gone within 5 s. */
  crash(cause: unknown, message: string): void
}

/** Longest life of a process after a crash, and the part of it for an orderly end. */
const crashWithinMs = 4_500
const crashStopWithinMs = 3_000
/** How long a process that was told to stop lives on at most: less than the 10 s that Docker waits. */
const stopWithinMs = 9_500

/**
 * Rules how this process ends: an unhandled rejection or exception ends it with status 1, SIGTERM and SIGINT with status 0. Whatever
 * hangs on the way, be it native code that runs at exit, a watchdog kills it.
 */
export function ruleProcessEnd(logger: Logger): ProcessEnd {
  const watchdog = startWatchdog(error => logger.error({ err: error }, 'there is no watchdog: an end that hangs lasts'))
  let running: Running | null = null
  let isEnding = false

  const exitAfter = (stopped: Promise<void>, code: number): void => {
    stopped.then(
      () => process.exit(code),
      (error: unknown) => {
        logger.error({ err: error }, 'not stopped cleanly')
        process.exit(1)
      },
    )
  }
  const crash: ProcessEnd['crash'] = (cause, message) => {
    watchdog.arm(crashWithinMs)
    logSafely(logger, cause, message)
    if (isEnding) return
    isEnding = true
    exitAfter(Promise.resolve(closeAndStop(running)), 1)
  }
  const stop = (): void => {
    watchdog.arm(stopWithinMs)
    if (isEnding) process.exit(1)
    isEnding = true
    exitAfter(running?.stop() ?? Promise.resolve(), 0)
  }
  process.on('uncaughtException', (error, origin) => crash(error, `ended by an ${nameOf[origin]}`))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // Also where something else ends it.
  process.on('exit', () => watchdog.arm(crashWithinMs))
  return {
    runs(started) {
      running = started
    },
    crash,
  }
}

const nameOf = { uncaughtException: 'exception', unhandledRejection: 'unhandled rejection' } as const

async function closeAndStop(running: Running | null): Promise<void> {
  running?.closePorts()
  await running?.stop(crashStopWithinMs)
}

/** Logs the cause; a failure to log is ignored, as there is nobody left to tell. */
function logSafely(logger: Logger, cause: unknown, message: string): void {
  try {
    logger.fatal({ err: cause instanceof Error ? cause : new Error(String(cause)) }, message)
  } catch {
    return
  }
}
