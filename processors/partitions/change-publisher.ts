import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { topics } from '../../schema/topics.ts'
import { backOffMs } from '../../shared/async/retry.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { pause } from '../../shared/async/waiting.ts'
import { liveRecord } from './live-record.ts'

const kinds = ['documents', 'alarmIds'] as const
type Kind = (typeof kinds)[number]

interface ChangePublisherDeps {
  readonly log: Pick<Log, 'append'>
  readonly logger: Logger
  readonly signal: AbortSignal
}

const maxMachinesPerMessage = 5_000
/** Wait after a first failure; doubles with each. */
const firstPauseMs = 250

/**
 * Publishes on the live topic which machines have new documents or alarm ids in the store: one append at a time, with
 * all changes since the last one.
 */
export class ChangePublisher {
  readonly #deps: ChangePublisherDeps
  readonly #changed: Readonly<Record<Kind, Set<MachineRef>>> = { documents: new Set(), alarmIds: new Set() }
  #isSending = false

  constructor(deps: ChangePublisherDeps) {
    this.#deps = deps
  }

  /** Publishes that these machines have changed. */
  add(kind: Kind, machines: Iterable<MachineRef>): void {
    for (const machineRef of machines) this.#changed[kind].add(machineRef)
    if (this.#isSending) return
    this.#isSending = true
    // Retries after failures.
    crashOnRejection(this.#sendAll())
  }

  async #sendAll(): Promise<void> {
    const { log, logger, signal } = this.#deps
    for (let failures = 0; ;) {
      const messages = kinds.flatMap(kind => this.#messagesOf(kind))
      this.#isSending = messages.length > 0
      if (!this.#isSending) return
      try {
        await log.append(topics.live, messages.map(liveRecord))
        failures = 0
      } catch (error) {
        logger.warn({ err: error }, 'Failed to publish changes of documents')
        if (signal.aborted) return
        // The retry includes later changes.
        for (const { kind, machines } of messages) for (const each of machines) this.#changed[kind].add(each)
        await pause(backOffMs(failures++, firstPauseMs), signal)
      }
    }
  }

  #messagesOf(kind: Kind) {
    const machines = [...this.#changed[kind]]
    this.#changed[kind].clear()
    return Array.from({ length: Math.ceil(machines.length / maxMachinesPerMessage) }, (_, index) => ({
      kind,
      machines: machines.slice(index * maxMachinesPerMessage, (index + 1) * maxMachinesPerMessage),
    }))
  }
}
