import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { type LiveMessage, topics } from '../../schema/topics.ts'
import { liveRecord } from './live-record.ts'

type Kind = 'documents' | 'alarmIds'

/** Machines of one message. */
const mostMachines = 5_000

/** Puts on the live topic which machines have something new in the store: one message at a time, with all that has gathered. */
export class ChangePublisher {
  readonly #log: Log
  readonly #logger: Logger
  readonly #gathered: Readonly<Record<Kind, Set<MachineRef>>> = { documents: new Set(), alarmIds: new Set() }
  #isSending = false

  constructor(log: Log, logger: Logger) {
    this.#log = log
    this.#logger = logger
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
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'changes of documents not published'))
      .finally(() => this.#send())
  }

  #take(kind: Kind): readonly LiveMessage[] {
    const machines = [...this.#gathered[kind]]
    this.#gathered[kind].clear()
    const messages: LiveMessage[] = []
    for (let first = 0; first < machines.length; first += mostMachines)
      messages.push({ kind, machines: machines.slice(first, first + mostMachines) })
    return messages
  }
}
