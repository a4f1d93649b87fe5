import type { Logger } from 'pino'
import { startWatchdog } from './watchdog.ts'

/** A service that can be stopped. */
export interface StoppableService {
  /** Closes the ports and all connections immediately. */
  closePorts(): void
  /** Completes work in progress within this time, and makes accepted data durable. */
  stop(withinMs?: number): Promise<void>
}

/** How this process ends. */
export interface ProcessEnd {
  register(running: StoppableService): void
  /** Logs the cause, closes the ports immediately, and ends the process within 5 s. */
  crash(cause: unknown, message: string): void
}

/** Maximum time from a crash to the end of the process, and the part of it for an orderly stop. */
const crashWithinMs = 4_500
const crashStopWithinMs = 3_000
/** Maximum time from a signal to the end of the process: less than the 10 s after which Docker kills it. */
const stopWithinMs = 9_500

/**
 * Ends this process with status 1 after an unhandled rejection or exception, and with status 0 after SIGTERM or SIGINT.
 * A watchdog kills the process if its end hangs, for example in exit handlers of native code.
 */
export function handleProcessEnd(logger: Logger): ProcessEnd {
  const watchdog = startWatchdog(error =>
    logger.error({ err: error }, 'Failed to start the watchdog: a hanging stop would not be killed'),
  )
  let running: StoppableService | null = null
  let isEnding = false

  const exitAfter = (stopped: Promise<void>, code: number): void => {
    stopped.then(
      () => process.exit(code),
      (error: unknown) => {
        logger.error({ err: error }, 'Failed to stop cleanly')
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
  process.on('uncaughtException', (error, origin) => crash(error, `Process ended by an ${nameOf[origin]}`))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // Covers calls of `process.exit` in other code too.
  process.on('exit', () => watchdog.arm(crashWithinMs))
  return {
    register(started) {
      running = started
    },
    crash,
  }
}

const nameOf = { uncaughtException: 'exception', unhandledRejection: 'unhandled rejection' } as const

async function closeAndStop(running: StoppableService | null): Promise<void> {
  running?.closePorts()
  await running?.stop(crashStopWithinMs)
}

/** Logs the cause; ignores a failure to log, which cannot be reported. */
function logSafely(logger: Logger, cause: unknown, message: string): void {
  try {
    logger.fatal({ err: cause instanceof Error ? cause : new Error(String(cause)) }, message)
  } catch {
    return
  }
}
