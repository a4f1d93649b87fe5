import type { Problem, Problems } from '../problems.ts'

/** Time from the first failure until a problem is reported, ms. */
const reportAfterMs = 10_000
/** Time from the first failure until the process is not ready, ms. */
const unreadyAfterMs = 120_000
/**
 * If work has several parts, each repeated every few seconds: time without a failure after which it has recovered, ms.
 */
const recoveredAfterMs = 60_000

/** A problem without the fields that `RepeatedFailure` adds. */
export type FailingWork = Omit<Problem, 'unreadyAfterMs' | 'cause'>

/**
 * Reports work that is repeated until it succeeds: after failing for ten seconds it becomes a problem of the process,
 * and after two minutes the process is not ready.
 */
export class RepeatedFailure {
  readonly #problems: Problems | undefined
  readonly #key: string
  readonly #clock: () => number
  #sinceMs: number | null = null
  #lastMs = 0

  /**
   * @param key identifies the work among the problems of the process
   * @param clock returns monotonic milliseconds
   */
  constructor(problems: Problems | undefined, key: string, clock = (): number => performance.now()) {
    this.#problems = problems
    this.#key = key
    this.#clock = clock
  }

  /** Records a failed attempt. `work` describes what fails; it is called only if a problem is reported. */
  failed(error: unknown, work: () => FailingWork): void {
    const nowMs = this.#clock()
    this.#sinceMs ??= nowMs
    this.#lastMs = nowMs
    if (nowMs - this.#sinceMs < reportAfterMs) return
    this.#problems?.report(this.#key, { ...work(), unreadyAfterMs: unreadyAfterMs - reportAfterMs, cause: error })
  }

  /** Records that a part of the work has succeeded, while another part may still fail. */
  partSucceeded(): void {
    if (this.#clock() - this.#lastMs >= recoveredAfterMs) this.ended()
  }

  /** Records that the work has succeeded, or is not needed any more. */
  ended(): void {
    if (this.#sinceMs === null) return
    this.#sinceMs = null
    this.#problems?.clear(this.#key)
  }
}
