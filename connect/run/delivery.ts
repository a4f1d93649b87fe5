import type { WireSample } from '../../schema/topics.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { type Deferred, deferred } from '../../shared/async/deferred.ts'
import { retryUntilAborted } from '../../shared/async/retry.ts'
import { pause } from '../../shared/async/waiting.ts'
import { type AcceptancePorts, BatchAcceptor } from '../buffer/batch-acceptor.ts'
import { DeliveryStopped } from '../buffer/delivery-stopped.ts'
import { SampleQueue } from './sample-queue.ts'
import type { WaitingSamples } from './waiting-samples.ts'

/** Time for which the first sample of a batch waits for further ones, ms. */
const defaultLingerMs = 200
export interface DeliveryPorts extends AcceptancePorts {
  readonly waiting: WaitingSamples
  /** Called after each failure of the log, which is retried, and if samples cannot be accepted. */
  readonly onProblem: (message: string) => void
  readonly lingerMs?: number
}

/** Delivers the samples of one connector to the log in order, one batch at a time. */
export class Delivery {
  readonly #ports: DeliveryPorts
  readonly #batches: BatchAcceptor
  readonly #queue = new SampleQueue()
  readonly #stopped = new AbortController()
  /** Calls whose samples are not acknowledged. */
  readonly #calls = new Set<Deferred<void>>()
  #bytes = 0
  #isRunning = false
  #flushes = 0
  #endLinger: () => void = () => undefined

  constructor(ports: DeliveryPorts) {
    this.#ports = ports
    this.#batches = new BatchAcceptor(ports)
  }

  /** Bytes of the samples that wait for the log. */
  get bytes(): number {
    return this.#bytes
  }

  /** See `SourceSession.deliver`. */
  deliver(samples: readonly WireSample[]): Promise<void> {
    return this.#call(acknowledge => this.#queue.add(samples, performance.now(), acknowledge))
  }

  /** See `SourceSession.deliverBody`. */
  deliverBody(body: Buffer): Promise<void> {
    return this.#call(acknowledge => this.#queue.addBody(body, performance.now(), acknowledge))
  }

  /** `add` adds samples to the queue and returns their bytes. */
  #call(add: (acknowledge: () => void) => number): Promise<void> {
    const call = deferred<void>()
    // A source may ignore the rejection, which only says that the connector stops.
    call.promise.catch(() => undefined)
    if (this.#stopped.signal.aborted) {
      call.reject(stopped())
      return call.promise
    }
    this.#calls.add(call)
    const bytes = add(() => {
      this.#calls.delete(call)
      call.resolve()
    })
    this.#count(bytes)
    if (this.#isUrgent()) this.#endLinger()
    this.#start()
    return call.promise
  }

  /** See `SourceSession.hasSpace`. */
  hasSpace(): boolean {
    return this.#ports.waiting.hasSpace(this.#bytes)
  }

  /** See `SourceSession.waitForSpace`; resolves also when the delivery stops. */
  async waitForSpace(): Promise<void> {
    const { waiting } = this.#ports
    while (!this.#stopped.signal.aborted && !this.hasSpace()) await waiting.freed()
  }

  /** Sends all samples immediately; resolves when they are acknowledged, or when the delivery stops. */
  async flush(): Promise<void> {
    this.#flushes++
    this.#endLinger()
    await this.deliver([])
      .catch(() => undefined)
      .finally(() => this.#flushes--)
  }

  /** Resolves when the log has all samples, or when the delivery stops. */
  drain(): Promise<void> {
    return this.flush()
  }

  /** Abandons waiting samples, and rejects their calls; returns whether there were any. */
  stop(): boolean {
    const isAbandoning = this.#bytes > 0
    this.#queue.clear()
    this.#stopped.abort()
    this.#endLinger()
    this.#count(-this.#bytes)
    for (const call of this.#calls) call.reject(stopped())
    this.#calls.clear()
    return isAbandoning
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#ports.waiting.add(bytes)
  }

  #isUrgent(): boolean {
    return this.#queue.hasBatch || this.#flushes > 0 || this.#stopped.signal.aborted
  }

  #start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    // It reports failures.
    crashOnRejection(this.#run())
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    while (!this.#queue.isEmpty) {
      await this.#linger()
      const { json, isBody, bytes, acknowledge } = this.#queue.take()
      const accept = () => (isBody ? this.#batches.acceptBody(json) : this.#batches.acceptSamples(json))
      if (json.length > 0) await retryUntilAborted(accept, signal, { onRetry: error => this.#report(error) })
      if (signal.aborted) break
      this.#count(-bytes)
      acknowledge()
    }
    this.#isRunning = false
  }

  async #linger(): Promise<void> {
    const leftMs = (this.#ports.lingerMs ?? defaultLingerMs) - (performance.now() - this.#queue.sinceMs)
    if (leftMs <= 0 || this.#isUrgent()) return
    const ended = new AbortController()
    this.#endLinger = () => ended.abort()
    await pause(leftMs, ended.signal)
  }

  #report(error: unknown): void {
    this.#ports.onProblem(error instanceof Error ? error.message : String(error))
  }
}

function stopped(): DeliveryStopped {
  return new DeliveryStopped('The connector stops')
}
