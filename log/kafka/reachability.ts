import { connect } from 'node:net'
import { LogUnavailable } from '../log.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'
import { pause } from '../../shared/async/waiting.ts'

/** A broker's host and port. */
export interface BrokerAddress {
  readonly host: string
  readonly port: number
}

/** The parts of `host:port`. */
export function addressOf(broker: string): BrokerAddress {
  const [host = '', port = ''] = broker.split(':')
  return { host, port: Number(port) }
}

/** A call that takes longer than this is a reason to check the brokers; also the pause between two checks. */
const checkEveryMs = 500
/** A host that drops packets never rejects a connection. */
const connectWithinMs = 1_000

/**
 * Whether any broker can be reached. A check opens a TCP connection to each known broker, which also a busy broker accepts, so a slow
 * broker does not count as unreachable. Checks run only while a call waits or no broker is reachable.
 */
export class Reachability {
  readonly #addresses: () => readonly BrokerAddress[]
  readonly #closing = new AbortController()
  #checking: Promise<boolean> | undefined
  #isLost = false

  constructor(addresses: () => readonly BrokerAddress[]) {
    this.#addresses = addresses
  }

  /** Calls, and rejects with `LogUnavailable` within 1.5 s while no broker can be reached. A call in progress is not cancelled. */
  async guard<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isLost) throw unreachable()
    const ended = new AbortController()
    const work = call().finally(() => ended.abort())
    return Promise.race([work, this.#rejectWhenLost(ended.signal)])
  }

  close(): void {
    this.#closing.abort()
  }

  /** Never resolves: rejects when no broker can be reached, unless the call has ended before. */
  async #rejectWhenLost(ended: AbortSignal): Promise<never> {
    for (;;) {
      await pause(checkEveryMs, ended)
      if (ended.aborted) return new Promise<never>(() => undefined)
      if (!(await this.#check())) throw unreachable()
    }
  }

  #check(): Promise<boolean> {
    this.#checking ??= this.#connectToAny().finally(() => (this.#checking = undefined))
    return this.#checking
  }

  async #connectToAny(): Promise<boolean> {
    const isReachable = await Promise.any(this.#addresses().map(canConnect)).then(
      () => true,
      () => false,
    )
    // The first check that fails begins to wait for the end of the outage. A check does not reject.
    if (!isReachable && !this.#isLost) neverRejects(this.#awaitReturn())
    this.#isLost = !isReachable
    return isReachable
  }

  async #awaitReturn(): Promise<void> {
    const { signal } = this.#closing
    do await pause(checkEveryMs, signal)
    while (!signal.aborted && !(await this.#check()))
  }
}

function unreachable(): LogUnavailable {
  return new LogUnavailable('No Kafka broker can be reached')
}

function canConnect({ host, port }: BrokerAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: connectWithinMs })
    const fail = (): void => {
      socket.destroy()
      reject(unreachable())
    }
    socket.once('timeout', fail)
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
  })
}
