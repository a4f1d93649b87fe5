/**
 * A condition that requires the operator's attention. `GET /health` shows it without authentication: it must contain no
 * secrets and no content of samples.
 */
export interface Problem {
  /** Code for programs, in snake_case, such as `consumer_stuck`. */
  readonly code: string
  /** Description of the problem, its location, and the remedy. */
  readonly message: string
  readonly topic?: string
  readonly partition?: number
  /** First offset that the problem concerns. */
  readonly offset?: number
  /** Age from which `GET /health/ready` responds 503, ms; absent: never. */
  readonly unreadyAfterMs?: number
  /** Error, only for the log of the process. */
  readonly cause?: unknown
}

/** A problem that was reported and not cleared. */
export interface OpenProblem extends Problem {
  /** Time of its first report, UTC ms. */
  readonly sinceMs: number
  /** Time of its first report on the monotonic clock of the process, from which its age is computed. */
  readonly reportedMs: number
}

/** Methods of a pino logger that are used. */
interface ProblemLogger {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

interface ProblemsOptions {
  /** Returns the current time, UTC ms. Default: `Date.now`. */
  readonly clock?: () => number
  readonly logger?: ProblemLogger
}

/** Maximum number of problems that `open` returns, the oldest first: they are part of a public response. */
const maxOpen = 100

/** The problems of this process. Any part of the process may report and clear them. */
export class Problems {
  readonly #clock: () => number
  readonly #logger: ProblemLogger | undefined
  readonly #open = new Map<string, OpenProblem>()

  constructor({ clock = Date.now, logger }: ProblemsOptions = {}) {
    this.#clock = clock
    this.#logger = logger
  }

  /**
   * Reports the problem `key`; if it is open, replaces its content and keeps its age. Logs the first report and each
   * change of its offset.
   */
  report(key: string, problem: Problem): void {
    const known = this.#open.get(key)
    const { sinceMs, reportedMs } = known ?? { sinceMs: this.#clock(), reportedMs: performance.now() }
    this.#open.set(key, { ...problem, sinceMs, reportedMs })
    const { cause, ...fields } = problem
    if (known?.offset !== problem.offset || !known)
      this.#logger?.warn({ ...fields, ...(cause !== undefined && { err: cause }) }, 'Problem reported')
  }

  /** Clears the problem `key` and logs it; does nothing if it is not open. */
  clear(key: string): void {
    const known = this.#open.get(key)
    if (!known) return
    this.#open.delete(key)
    const { code, topic, partition } = known
    this.#logger?.info({ code, topic, partition }, 'Problem cleared')
  }

  /** Returns at most 100 open problems, the oldest first. */
  open(): readonly OpenProblem[] {
    return [...this.#open.values()].slice(0, maxOpen)
  }

  /** Returns the codes of the problems that have lasted so long that the process is not ready, each once. */
  blocking(): readonly string[] {
    const nowMs = performance.now()
    const isBlocking = ({ unreadyAfterMs, reportedMs }: OpenProblem) =>
      unreadyAfterMs !== undefined && nowMs - reportedMs >= unreadyAfterMs
    return [...new Set([...this.#open.values()].filter(isBlocking).map(({ code }) => code))]
  }
}
