import type { Logger } from 'pino'
import { waitAtMost } from '../shared/async/wait-at-most.ts'

interface Step {
  readonly name: string
  readonly stop: () => unknown
}

/** Limit of all steps together. Work still in flight then is done again after the next start, as after a crash. */
const defaultWithinMs = 8_000
/** Limit of one step, so that the last steps still get their turn. */
const stepWithinMs = 4_000

/** Stops, last first, what was started; a step that hangs or fails is named in the log and holds up no other. */
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

  /** Something to do before all else where the process must end at once: quick, and harmless to what its step does later. */
  addFirst(run: () => void): void {
    this.#first.push(run)
  }

  /** Does what must come before all else. */
  runFirst(): void {
    for (const run of this.#first.splice(0)) run()
  }

  /** Resolves within a few seconds, whatever is away. */
  async stop(withinMs = defaultWithinMs): Promise<void> {
    const untilMs = performance.now() + withinMs
    for (const step of this.#steps.splice(0)) {
      await this.#stop(step, Math.max(100, Math.min(stepWithinMs, untilMs - performance.now())))
    }
  }

  async #stop({ name, stop }: Step, forMs: number): Promise<void> {
    try {
      await waitAtMost(forMs, Promise.resolve(stop()), () =>
        this.#logger.warn({ step: name, forMs }, 'not stopped in time'),
      )
    } catch (error) {
      this.#logger.error({ err: error, step: name }, 'not stopped cleanly')
    }
  }
}
