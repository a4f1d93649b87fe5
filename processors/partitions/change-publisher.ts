import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { topics } from '../../schema/topics.ts'
import { backOffMs } from '../../shared/async/retry.ts'
import { pause } from '../../shared/async/waiting.ts'
import { liveRecord } from './live-record.ts'

type Kind = 'documents' | 'alarmIds'

interface ChangeMessage {
  readonly kind: Kind
  readonly machines: readonly MachineRef[]
}

/** Machines of one message. */
const mostMachines = 5_000
/** Wait after a first failure; doubles with each. */
const firstPauseMs = 250

/**
 * Puts on the live topic which machines have something new in the store: one message at a time, with all that has gathered. Until the signal
 * aborts, it tells again what the log did not take.
 */
export class ChangePublisher {
  readonly #log: Log
  readonly #logger: Logger
  readonly #gathered: Readonly<Record<Kind, Set<MachineRef>>> = { documents: new Set(), alarmIds: new Set() }
  readonly #signal: AbortSignal
  #isSending = false
  #failures = 0

  constructor(log: Log, logger: Logger, signal: AbortSignal) {
    this.#log = log
    this.#logger = logger
    this.#signal = signal
  }

  /** Something new of these machines is in the store. */
  tell(kind: Kind, machines: Iterable<MachineRef>): void {
    for (const machineRef of machines) this.#gathered[kind].add(machineRef)
    if (!this.#isSending) this.#send()
  }

  #send(): void {
    const messages = [...this.#take('documents'), ...this.#take('alarmIds')]
    this.#isSending = messages.length > 0
    if (!this.#isSending) return
    this.#log
      .append(topics.live, messages.map(liveRecord))
      .then(() => {
        this.#failures = 0
      })
      .catch((error: unknown) => this.#failed(messages, error))
      .finally(() => this.#send())
  }

  /** Resolves at the end of the back-off; the retry includes later changes. */
  async #failed(messages: readonly ChangeMessage[], error: unknown): Promise<void> {
    this.#logger.warn({ err: error }, 'Failed to publish changes of documents')
    if (this.#signal.aborted) return
    for (const { kind, machines } of messages) for (const machineRef of machines) this.#gathered[kind].add(machineRef)
    await pause(backOffMs(this.#failures++, firstPauseMs), this.#signal)
  }

  #take(kind: Kind): readonly ChangeMessage[] {
    const machines = [...this.#gathered[kind]]
    this.#gathered[kind].clear()
    const messages: ChangeMessage[] = []
    for (let first = 0; first < machines.length; first += mostMachines)
      messages.push({ kind, machines: machines.slice(first, first + mostMachines) })
    return messages
  }
}
