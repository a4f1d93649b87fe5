import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Limits of responses that clients have not read. */
export interface UnsentLimits {
  /** Limit of the bytes of responses that wait in this process for their clients. */
  readonly unsentBytes: number
  /** Time in which a client must read `minProgressBytes` of a response, or all of it, in ms. */
  readonly idleMs: number
}

const checkEveryMs = 100

/**
 * Bytes that a client must read within `idleMs`: fewer than a slow modem reads in a minute, more than a client that
 * stalls deliberately.
 */
const minProgressBytes = 65_536

interface Unsent {
  readonly socket: Socket
  /** Bytes that the system had accepted at `progressAtMs`. */
  sentBytes: number
  progressAtMs: number
}

/**
 * Limits the memory of responses that clients do not read. Closes a connection whose client reads too little for
 * `idleMs`. If all unsent bytes exceed `unsentBytes`, closes first the connections whose clients have been idle for the
 * longest time.
 */
export class UnsentResponses {
  readonly #limits: UnsentLimits
  readonly #open = new Map<ServerResponse, Unsent>()
  #timer: NodeJS.Timeout | undefined

  constructor(limits: UnsentLimits) {
    this.#limits = limits
  }

  /** Watches a response from its start to its end. */
  watch(response: ServerResponse, socket: Socket): void {
    this.#open.set(response, { socket, sentBytes: sentBytesOf(socket), progressAtMs: performance.now() })
    this.#timer ??= setInterval(() => this.#check(performance.now()), checkEveryMs).unref()
  }

  #check(nowMs: number): void {
    let totalBytes = 0
    for (const [response, unsent] of this.#open) {
      if (response.closed) {
        this.#open.delete(response)
        continue
      }
      const waitingBytes = unsent.socket.writableLength
      totalBytes += waitingBytes
      if (waitingBytes === 0 || sentBytesOf(unsent.socket) - unsent.sentBytes >= minProgressBytes)
        Object.assign(unsent, { sentBytes: sentBytesOf(unsent.socket), progressAtMs: nowMs })
      else if (nowMs - unsent.progressAtMs > this.#limits.idleMs) unsent.socket.destroy()
    }
    if (totalBytes > this.#limits.unsentBytes) this.#closeSlowest(totalBytes)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #closeSlowest(totalBytes: number): void {
    const slowestFirst = [...this.#open.values()].toSorted((a, b) => a.progressAtMs - b.progressAtMs)
    let leftBytes = totalBytes
    for (const { socket } of slowestFirst) {
      if (leftBytes <= this.#limits.unsentBytes) return
      leftBytes -= socket.writableLength
      socket.destroy()
    }
  }
}

/**
 * Returns the bytes of a connection that the system has accepted. `bytesWritten` counts a write completely when it
 * starts; `writeQueueSize`, by which Node's own timeouts recognize progress, is its remaining part.
 */
function sentBytesOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const isOpen = typeof handle === 'object' && handle !== null && 'writeQueueSize' in handle
  return socket.bytesWritten - (isOpen ? Number(handle.writeQueueSize) : 0)
}
