import type { Logger } from 'pino'
import type { MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'

interface Listener {
  readonly publish: (samples: readonly Sample[]) => void
  /** Whether the listener needs every sample of a machine, or only the newest sample of each metric. */
  readonly needsEvery: (machineRef: MachineRef) => boolean
}

/**
 * Passes live values from the ingest of this process to its channels. Used if one process does all the work; otherwise
 * live values are published on the live topic.
 */
export class LocalValues {
  readonly #listeners = new Set<Listener>()
  readonly #logger: Pick<Logger, 'error'>

  constructor(logger: Pick<Logger, 'error'>) {
    this.#logger = logger
  }

  /** Adds a listener; returns a function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether any listener needs every sample of a machine. */
  needsEvery(machineRef: MachineRef): boolean {
    for (const listener of this.#listeners) if (listener.needsEvery(machineRef)) return true
    return false
  }

  /**
   * Publishes samples in order. An error of a listener is logged and affects neither the other listeners nor ingest.
   */
  publish(samples: readonly Sample[]): void {
    for (const listener of this.#listeners) {
      try {
        listener.publish(samples)
      } catch (error) {
        this.#logger.error({ err: error }, 'Failed to send live values')
      }
    }
  }
}
