import type { Problem, Problems } from '../problems.ts'

/** Time from the first failure to the report. */
const reportAfterMs = 10_000
/** Time from the first failure until the process is not ready. */
const unreadyAfterMs = 120_000

/** A problem without what `RepeatedFailure` adds. */
export type FailingWork = Omit<Problem, 'unreadyAfterMs' | 'cause'>

/**
 * Work that is repeated until it succeeds. Once it has failed for ten seconds it is a problem of the process, and after two minutes the process
 * is not ready.
 */
export class RepeatedFailure {
  readonly #problems: Problems | undefined
  readonly #key: string
  #sinceMs: number | null = null

  /** @param key names the work among the problems of the process */
  constructor(problems: Problems | undefined, key: string) {
    this.#problems = problems
    this.#key = key
  }

  /** Notes a failed attempt. `work` describes what fails and is called only if it is reported. */
  failed(error: unknown, work: () => FailingWork): void {
    const nowMs = performance.now()
    this.#sinceMs ??= nowMs
    if (nowMs - this.#sinceMs < reportAfterMs) return
    this.#problems?.report(this.#key, { ...work(), unreadyAfterMs: unreadyAfterMs - reportAfterMs, cause: error })
  }

  /** Notes that the work has succeeded, or is not wanted any more. */
  ended(): void {
    if (this.#sinceMs === null) return
    this.#sinceMs = null
    this.#problems?.clear(this.#key)
  }
}
