import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'

/** During an outage of the log, one line is written per interval, even if several components fail. */
const outageLineEveryMs = 60_000

/** Creates the logger of a process: JSON lines on stderr, from `level` up. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(2)): Logger {
  const isForDevelopers = level === 'debug' || level === 'trace'
  return pino({ level, ...(isForDevelopers ? {} : { hooks: { logMethod: limitOutageLines() } }) }, destination)
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/** Drops warnings and errors about an unavailable log, except for one per minute with the number of dropped lines. */
function limitOutageLines(): LogMethod {
  const { error: highestLimited, warn: lowestLimited = 40 } = pino.levels.values
  let lastMs = -Infinity
  let dropped = 0
  return function (args, method, level) {
    const [fields, ...rest]: unknown[] = args
    const isLimited = level >= lowestLimited && level <= (highestLimited ?? 50)
    if (!isLimited || !isOutage(fields)) return method.apply(this, args)
    dropped += 1
    if (performance.now() - lastMs < outageLineEveryMs) return
    const limited: unknown[] = [{ ...fields, dropped: dropped - 1 }, ...rest]
    lastMs = performance.now()
    dropped = 0
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the arguments of the call, with an additional field
    method.apply(this, limited as typeof args)
  }
}

/** Whether a line is about an unavailable log: by its own code, or by the code of its error or of a cause. */
function isOutage(fields: unknown): fields is object {
  if (typeof fields !== 'object' || fields === null) return false
  if (hasOutageCode(fields)) return true
  let current: unknown = 'err' in fields ? fields.err : undefined
  for (let depth = 0; current instanceof Error && depth < 10; depth++) {
    if (hasOutageCode(current)) return true
    current = current.cause
  }
  return false
}

function hasOutageCode(value: object): boolean {
  return 'code' in value && value.code === 'log_unavailable'
}
