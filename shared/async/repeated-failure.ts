import type { Problem, Problems } from '../problems.ts'

/** Time from the first failure to the report. */
const reportAfterMs = 10_000
/** Time from the first failure until the process is not ready. */
const unreadyAfterMs = 120_000
/** Work with several parts, each repeated every few seconds, has recovered when none of them has failed for this time. */
const recoveredAfterMs = 60_000

/** A problem without what `RepeatedFailure` adds. */
export type FailingWork = Omit<Problem, 'unreadyAfterMs' | 'cause'>

/**
 * Work that is repeated until it succeeds. Once it has failed for ten seconds it is a problem of the process, and after two minutes the process
 * is not ready.
 */
export class RepeatedFailure {
  readonly #problems: Problems | undefined
  readonly #key: string
  readonly #clock: () => number
  #sinceMs: number | null = null
  #lastMs = 0

  /**
   * @param key names the work among the problems of the process
   * @param clock monotonic ms
   */
  constructor(problems: Problems | undefined, key: string, clock = (): number => performance.now()) {
    this.#problems = problems
    this.#key = key
    this.#clock = clock
  }

  /** Notes a failed attempt. `work` describes what fails and is called only if it is reported. */
  failed(error: unknown, work: () => FailingWork): void {
    const nowMs = this.#clock()
    this.#sinceMs ??= nowMs
    this.#lastMs = nowMs
    if (nowMs - this.#sinceMs < reportAfterMs) return
    this.#problems?.report(this.#key, { ...work(), unreadyAfterMs: unreadyAfterMs - reportAfterMs, cause: error })
  }

  /** Notes that a part of the work has succeeded, while another part may still fail. */
  partSucceeded(): void {
    if (this.#clock() - this.#lastMs >= recoveredAfterMs) this.ended()
  }

  /** Notes that the work has succeeded, or is not wanted any more. */
  ended(): void {
    if (this.#sinceMs === null) return
    this.#sinceMs = null
    this.#problems?.clear(this.#key)
  }
}
