import type { Logger } from 'pino'
import { withTimeout } from '../shared/async/with-timeout.ts'

interface Step {
  readonly name: string
  readonly stop: () => unknown
}

/** Time limit of all steps together, ms. The next start repeats unfinished work, as after a crash. */
const defaultWithinMs = 8_000
/** Time limit of one step, ms, so that the last steps have time. */
const stepWithinMs = 4_000

/**
 * Stops components in the reverse order of their start. A step that hangs or fails is logged, and the next steps
 * continue.
 */
export class Teardown {
  readonly #logger: Logger
  readonly #steps: Step[] = []
  readonly #first: (() => void)[] = []

  constructor(logger: Logger) {
    this.#logger = logger
  }

  add(name: string, stop: Step['stop']): void {
    this.#steps.unshift({ name, stop })
  }

  /**
   * Adds a quick action that runs first if the process must end immediately. The regular stop of the component must
   * tolerate that.
   */
  addFirst(run: () => void): void {
    this.#first.push(run)
  }

  runFirst(): void {
    for (const run of this.#first.splice(0)) run()
  }

  /** Runs all steps; resolves within `withinMs` even if log or store are unavailable. */
  async stop(withinMs = defaultWithinMs): Promise<void> {
    const untilMs = performance.now() + withinMs
    for (const step of this.#steps.splice(0)) {
      await this.#stop(step, Math.max(100, Math.min(stepWithinMs, untilMs - performance.now())))
    }
  }

  async #stop({ name, stop }: Step, forMs: number): Promise<void> {
    try {
      await withTimeout(forMs, Promise.resolve(stop()), () =>
        this.#logger.warn({ step: name, forMs }, 'Shutdown timed out'),
      )
    } catch (error) {
      this.#logger.error({ err: error, step: name }, 'Failed to stop')
    }
  }
}
