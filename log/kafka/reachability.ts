import { connect } from 'node:net'
import { LogUnavailable } from '../log.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'

export interface BrokerAddress {
  readonly host: string
  readonly port: number
}

/** Parses `host:port`. */
export function addressOf(broker: string): BrokerAddress {
  const [host = '', port = ''] = broker.split(':')
  return { host, port: Number(port) }
}

/** Duration of a call after which the brokers are checked; also the interval of checks. */
const checkEveryMs = 250
/** Limit for hosts that drop packets and never reject a connection. */
const connectWithinMs = 1_000

interface WaitingCall {
  readonly sinceMs: number
  readonly reject: (error: LogUnavailable) => void
}

/**
 * Checks whether any broker can be reached, by a TCP connection to each known broker. A busy broker also accepts
 * connections, so a slow broker does not count as unreachable. Checks run only while a call waits or no broker is
 * reachable.
 */
export class Reachability {
  readonly #addresses: () => readonly BrokerAddress[]
  /** In the order of their start. */
  readonly #waiting = new Set<WaitingCall>()
  #timer: NodeJS.Timeout | undefined
  #isChecking = false
  #isLost = false

  constructor(addresses: () => readonly BrokerAddress[]) {
    this.#addresses = addresses
  }

  /**
   * Runs a call, and rejects with `LogUnavailable` within 1.5 s while no broker can be reached. A call in progress is
   * not cancelled.
   */
  guard<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isLost) return Promise.reject(unreachable())
    return new Promise((resolve, reject) => {
      const waiting: WaitingCall = { sinceMs: performance.now(), reject }
      this.#waiting.add(waiting)
      // One timer for all calls: a timer and a signal for each would cost more than the call. A tick does not reject.
      this.#timer ??= setInterval(() => crashOnRejection(this.#tick()), checkEveryMs).unref()
      call()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(waiting))
        .catch(reject)
    })
  }

  /** Resolves to whether any broker accepts a connection now. */
  isReachable(): Promise<boolean> {
    return this.#isAnyReachable()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #tick(): Promise<void> {
    if (this.#isChecking) return
    const [oldest] = this.#waiting
    if (!oldest && !this.#isLost) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    if (!this.#isLost && oldest && performance.now() - oldest.sinceMs < checkEveryMs) return
    this.#isChecking = true
    this.#isLost = !(await this.#isAnyReachable())
    this.#isChecking = false
    if (!this.#isLost) return
    for (const { reject } of this.#waiting) reject(unreachable())
    this.#waiting.clear()
  }

  #isAnyReachable(): Promise<boolean> {
    return Promise.any(this.#addresses().map(canConnect)).then(
      () => true,
      () => false,
    )
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
