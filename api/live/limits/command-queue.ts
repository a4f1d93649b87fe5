import type { Shares } from '../../../shared/shares.ts'
import { beginWork } from '../../../shared/async/work-in-progress.ts'
import { crashOnRejection } from '../../../shared/async/crash-on-rejection.ts'

/** Maximum number of commands of one connection that wait or run. */
const maxCommands = 200
/** Maximum bytes of their messages. One message always fits. */
const maxBytes = 1_048_576
/** Memory of a waiting command besides the bytes of its message: its parsed values and functions. */
const commandOverheadBytes = 1024

interface Queued {
  readonly bytes: number
  readonly tenant: string
  readonly run: () => Promise<void>
}

/**
 * Runs the commands of one connection one after the other; limited per connection and by the tenant's share of the
 * process.
 */
export class CommandQueue {
  readonly #shares: Shares
  readonly #onError: (error: unknown) => void
  readonly #queued: Queued[] = []
  #bytes = 0
  #isRunning = false

  constructor(shares: Shares, onError: (error: unknown) => void) {
    this.#shares = shares
    this.#onError = onError
  }

  get isEmpty(): boolean {
    return this.#queued.length === 0
  }

  /** Whether a message of this size may be queued. */
  hasRoom(tenant: string, bytes: number): boolean {
    if (this.isEmpty) return true
    const isFull = this.#queued.length >= maxCommands || this.#bytes + bytes > maxBytes
    return !isFull && this.#shares.fits(tenant, bytes + commandOverheadBytes)
  }

  /** Runs the command after the previous ones. */
  add(tenant: string, bytes: number, run: () => Promise<void>): void {
    this.#queued.push({ tenant, bytes, run })
    this.#bytes += bytes
    this.#shares.count(tenant, bytes + commandOverheadBytes)
    // `onError` receives failures.
    if (!this.#isRunning) crashOnRejection(this.#work())
  }

  /** Drops the waiting commands; the running one ends by itself. */
  clear(): void {
    for (const queued of this.#queued.splice(this.#isRunning ? 1 : 0)) this.#forget(queued)
  }

  async #work(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#queued[0]; next !== undefined; next = this.#queued[0]) {
      const end = beginWork(() => 'live command')
      await next.run().catch(this.#onError)
      end()
      this.#queued.shift()
      this.#forget(next)
    }
    this.#isRunning = false
  }

  #forget({ tenant, bytes }: Queued): void {
    this.#bytes -= bytes
    this.#shares.release(tenant, bytes + commandOverheadBytes)
  }
}
