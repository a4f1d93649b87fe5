import type { Logger } from 'pino'
import type { Sample } from '../../schema/sample.ts'

type Listener = (samples: readonly Sample[]) => void

/**
 * Hands live values from the ingest of a process to the channels of the same process: where one process does all the work, no sample has to
 * go through the log a second time.
 */
export class ValuesHere {
  readonly #listeners = new Set<Listener>()
  readonly #logger: Pick<Logger, 'error'>

  constructor(logger: Pick<Logger, 'error'>) {
    this.#logger = logger
  }

  /** From now on; returns what ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Tells samples in their order. A listener that throws is logged: it holds up neither the others nor ingest. */
  tell(samples: readonly Sample[]): void {
    for (const listener of this.#listeners) {
      try {
        listener(samples)
      } catch (error) {
        this.#logger.error({ err: error }, 'live values were not told')
      }
    }
  }
}
