import type { Logger } from 'pino'
import type { MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'

interface Listener {
  readonly tell: (samples: readonly Sample[]) => void
  /** Whether it needs every sample of a machine, and not the newest of each metric alone. */
  readonly wantsEvery: (machineRef: MachineRef) => boolean
}

/**
 * Hands live values to the channels of a process. Where one process does all the work, its ingest tells them, so that no sample has to go through
 * the log a second time; else they are those of the live topic.
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

  /** Whether anybody needs every sample of a machine, and not the newest of each metric alone. */
  wantsEvery(machineRef: MachineRef): boolean {
    for (const listener of this.#listeners) if (listener.wantsEvery(machineRef)) return true
    return false
  }

  /** Tells samples in their order. A listener that throws is logged: it holds up neither the others nor ingest. */
  tell(samples: readonly Sample[]): void {
    for (const listener of this.#listeners) {
      try {
        listener.tell(samples)
      } catch (error) {
        this.#logger.error({ err: error }, 'Failed to send live values')
      }
    }
  }
}
