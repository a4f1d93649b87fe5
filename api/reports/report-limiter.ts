import { ApiError, unavailable } from '../../schema/errors.ts'
import { withSignals } from '../../shared/async/join-signals.ts'
import { LoadShedders, callerLoadLimits } from '../../shared/async/load-shedder.ts'

/** Starts the work of a company (its id), or rejects with 429. */
export type ReportLimiter = <T>(companyId: string, work: () => Promise<T>) => Promise<T>

/** Limits concurrent reports of each company (429), lower under overload: accepted reports stay fast. */
export function createReportLimiter(limit: number): ReportLimiter {
  const shedders = new LoadShedders(callerLoadLimits)
  return async (companyId, work) => {
    const shedder = shedders.of(companyId)
    if (shedder.inProgress >= limit || !shedder.accepts(performance.now())) {
      throw new ApiError(429, 'TooManyRequests', 'Too many reports at once', { retryAfterS: 1 })
    }
    shedder.add(1, performance.now())
    try {
      return await work()
    } finally {
      shedder.end(1, performance.now())
    }
  }
}

/** Maximum duration of a report: the store may not respond. */
const timeoutMs = 60_000

/** Runs the work of a report with a signal that also aborts after the maximum duration; then it rejects with 503. */
export async function withReportTimeout<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  try {
    return await withSignals([signal, late.signal], work)
  } catch (error) {
    if (late.signal.aborted) throw unavailable('The report took too long', 5, error)
    throw error
  } finally {
    clearTimeout(timer)
  }
}
