import type { Logger } from 'pino'
import type { MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'

interface Listener {
  readonly publish: (samples: readonly Sample[]) => void
  /** Whether the listener needs every sample of a machine, or only the newest of each metric. */
  readonly needsEvery: (machineRef: MachineRef) => boolean
}

/**
 * Passes live values to the channels of a process. If one process does all the work, its ingest publishes them here,
 * without a second pass through the log; otherwise they come from the live topic.
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

  /** Whether a listener needs every sample of a machine. */
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
