import type { Acceptor } from '../../ingest/accept/acceptor.ts'
import { ApiError } from '../../schema/errors.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import type { WireSample } from '../../schema/topics.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { type Deferred, deferred } from '../../shared/async/deferred.ts'
import { retryUntilAborted } from '../../shared/async/retry.ts'
import { pause } from '../../shared/async/waiting.ts'
import { JsonOutOfBounds } from '../../shared/json/bounds.ts'
import type { ConnectorTotals } from '../source/totals.ts'
import { SampleQueue } from './sample-queue.ts'
import type { WaitingSamples } from './waiting-samples.ts'

/** Time for which the first sample of a batch waits for further ones, ms. */
const defaultLingerMs = 200
/** Limit of the example of a body that cannot be read. */
const maxExampleBytes = 200

export interface DeliveryPorts {
  readonly acceptor: Acceptor
  readonly companyRef: CompanyRef
  readonly waiting: WaitingSamples
  readonly totals: Pick<ConnectorTotals, 'samples' | 'rejected'>
  /** Called after each failure of the log, which is retried, and if samples cannot be accepted. */
  readonly onProblem: (message: string) => void
  readonly lingerMs?: number
}

/** The connector stops, so that samples are not delivered any more. */
export class DeliveryStopped extends Error {
  override readonly name = 'DeliveryStopped'
  readonly code = 'delivery_stopped'
  readonly retryable = false
}

/** Delivers the samples of one connector to the log in order, one batch at a time. */
export class Delivery {
  readonly #ports: DeliveryPorts
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

  /** See `SourceSession.waitForSpace`; resolves also when the delivery stops. */
  async waitForSpace(): Promise<void> {
    const { waiting } = this.#ports
    while (!this.#stopped.signal.aborted && !waiting.hasSpace(this.#bytes)) await waiting.freed()
  }

  /** Sends all samples immediately; resolves when they are acknowledged, or when the delivery stops. */
  async flush(): Promise<void> {
    this.#flushes++
    this.#endLinger()
    await this.deliver([])
      .catch(() => undefined)
      .finally(() => this.#flushes--)
  }

  /** Abandons waiting samples, and rejects their calls. */
  stop(): void {
    this.#queue.clear()
    this.#stopped.abort()
    this.#endLinger()
    this.#count(-this.#bytes)
    for (const call of this.#calls) call.reject(stopped())
    this.#calls.clear()
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
      const accept = () => (isBody ? this.#acceptBody(json) : this.#accept(json))
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

  async #accept(json: Buffer): Promise<void> {
    const body = Buffer.concat([Buffer.from('['), json, Buffer.from(']')])
    const error = await this.#append(body)
    if (error !== null) await this.#divide(body, error)
  }

  async #acceptBody(body: Buffer): Promise<void> {
    const error = await this.#append(body)
    if (error === null) return
    const example = body.toString('utf8', 0, maxExampleBytes)
    this.#ports.onProblem(`A body of samples cannot be read: ${error.message}: ${example}`)
    this.#reject('invalid_body', 1)
  }

  /** Returns the error of a body that is not accepted as a whole; null: its samples are in the log. */
  async #append(body: Buffer): Promise<ApiError | JsonOutOfBounds | null> {
    const { acceptor, companyRef, totals } = this.#ports
    try {
      const { accepted, rejectedByCode } = await acceptor.accept({ companyRef, body, storesRejected: true })
      totals.samples += accepted
      for (const [reason, count] of Object.entries(rejectedByCode)) this.#reject(reason, count)
      return null
    } catch (error) {
      if (error instanceof ApiError || error instanceof JsonOutOfBounds) return error
      throw error
    }
  }

  /** Halves samples that are not accepted as a whole, such as a value above all limits, until each is sent separately. */
  async #divide(body: Buffer, error: unknown): Promise<void> {
    const samples: readonly WireSample[] = JSON.parse(body.toString())
    if (samples.length === 1) {
      this.#report(error)
      return this.#reject('invalid_sample', 1)
    }
    const middle = samples.length >> 1
    for (const half of [samples.slice(0, middle), samples.slice(middle)])
      await this.#accept(Buffer.from(JSON.stringify(half).slice(1, -1)))
  }

  #reject(reason: string, count: number): void {
    const { rejected } = this.#ports.totals
    rejected[reason] = (rejected[reason] ?? 0) + count
  }

  #report(error: unknown): void {
    this.#ports.onProblem(error instanceof Error ? error.message : String(error))
  }
}

function stopped(): DeliveryStopped {
  return new DeliveryStopped('The connector stops')
}
