import type { Logger } from 'pino'
import type { Acceptor } from '../../ingest/accept/acceptor.ts'
import type { ConnectorBuffer } from '../../schema/connector-health.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { retryUntilAborted } from '../../shared/async/retry.ts'
import { Notifier, pause } from '../../shared/async/waiting.ts'
import type { KeptNote } from '../source/note.ts'
import { newTotals, type ConnectorTotals } from '../source/totals.ts'
import { type AcceptancePorts, BatchAcceptor } from './batch-acceptor.ts'
import { batchLimits } from './batches.ts'
import { type BufferBatch, BufferFile } from './buffer-file.ts'
import type { BufferRecord } from './buffer-record.ts'

/** Time for which the first sample of a batch waits for further ones, ms. */
const lingerMs = 200
const syncIntervalMs = 1_000
/** Space that must remain for a source to read further. */
const reserveBytes = 1 << 20

/** Bytes that the buffers of a process use, and their limits. */
export interface BufferSpace {
  readonly eachBytes: number
  readonly totalBytes: number
  usedBytes: number
}

export interface SampleBufferOptions {
  readonly file: BufferFile
  readonly companyRef: CompanyRef
  readonly acceptor: Acceptor
  readonly space: BufferSpace
  readonly logger: Pick<Logger, 'warn'>
}

/** The parts of a buffer that a running connector counts and shows. */
type Observer = Pick<AcceptancePorts, 'totals' | 'onProblem'>

/**
 * The buffer of one connector: samples are appended to its file, and sent to the log in order, the oldest first, whether
 * the connector runs or not. Samples that were sent before a crash may be sent again.
 */
export class SampleBuffer {
  readonly #options: SampleBufferOptions
  readonly #stopped = new AbortController()
  readonly #changed = new Notifier()
  readonly #running: Promise<void>
  #observer: Observer | null = null
  /** Whether the disk has not accepted the last record. */
  #isRefused = false
  #urgent = new AbortController()

  constructor(options: SampleBufferOptions) {
    this.#options = options
    options.space.usedBytes += options.file.bytes
    this.#running = Promise.all([this.#send(), this.#sync()]).then(() => undefined)
    crashOnRejection(this.#running)
  }

  get isEmpty(): boolean {
    return this.#options.file.isEmpty
  }

  /** Sets the connector that runs now; null: none. */
  observe(observer: Observer | null): void {
    this.#observer = observer
    // A record that the disk has refused ends with its connector, so that nothing would try it again.
    this.#isRefused = false
  }

  read(): ConnectorBuffer {
    const { file } = this.#options
    return { samples: file.samples, bytes: file.isEmpty ? 0 : file.bytes, oldestMs: file.oldestMs }
  }

  /** Whether a source may read further: not after a record that the disk has refused, until it accepts one. */
  hasSpace(): boolean {
    return !this.#isRefused && this.#fits(reserveBytes)
  }

  /** See `SourceSession.notes`. */
  get notes(): readonly KeptNote[] {
    return this.#options.file.notes
  }

  /** A position with the notes up to a number is stored. */
  forget(number: number): void {
    this.#change(() => this.#options.file.forget(number))
  }

  /** Appends a record; false: there is no space, or the disk does not accept it. */
  append(record: BufferRecord): boolean {
    const { file } = this.#options
    // A record above the limit of a file is accepted if the file is empty: it would wait forever.
    if (!this.#fits(BufferFile.bytesOf(record)) && !file.isEmpty) return false
    try {
      this.#change(() => file.append(record))
      this.#isRefused = false
    } catch (error) {
      this.#isRefused = true
      this.#report(error)
    }
    return !this.#isRefused
  }

  /** Resolves after the next change, or after a second. */
  async changed(): Promise<void> {
    const waited = new AbortController()
    await Promise.race([this.#changed.wait(), pause(syncIntervalMs, waited.signal)])
    waited.abort()
  }

  /** Sends all samples immediately; resolves when the log has them, or when the buffer stops. */
  async drain(): Promise<void> {
    while (!this.isEmpty && !this.#stopped.signal.aborted) {
      this.#urgent.abort()
      await this.changed()
    }
  }

  /** Ends sending; resolves when the file is on the disk and closed, or deleted if it has neither samples nor notes. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#urgent.abort()
    this.#changed.ring()
    await this.#running
    const { file, space } = this.#options
    space.usedBytes -= file.bytes
    if (file.isEmpty) return file.closeEmpty()
    await file.sync()
    file.close()
  }

  async #send(): Promise<void> {
    const { signal } = this.#stopped
    const { file } = this.#options
    while (!signal.aborted) {
      if (file.isEmpty) await this.changed()
      else await this.#sendNext()
    }
  }

  async #sendNext(): Promise<void> {
    await this.#linger()
    this.#urgent = new AbortController()
    try {
      const batch = this.#options.file.peek()
      if (batch !== null) await this.#sendBatch(batch)
    } catch (error) {
      // The next start recovers a file that was changed.
      if (error instanceof RangeError) throw error
      this.#report(error)
      await pause(syncIntervalMs, this.#stopped.signal)
    }
  }

  /** Waits for further samples until the oldest one has waited for the time of a batch. */
  async #linger(): Promise<void> {
    const { file } = this.#options
    const waitedMs = Math.max(0, Date.now() - (file.oldestMs ?? 0))
    if (file.samples < batchLimits.samples && waitedMs < lingerMs) await pause(lingerMs - waitedMs, this.#urgent.signal)
  }

  async #sendBatch(batch: BufferBatch): Promise<void> {
    const { signal } = this.#stopped
    const onRetry = (error: unknown) => this.#report(error)
    const sent = await retryUntilAborted(() => this.#accept(batch).then(() => true), signal, { onRetry })
    if (sent === true) this.#change(() => this.#options.file.remove(batch))
  }

  async #accept({ json, isBody }: BufferBatch): Promise<void> {
    if (!isBody && json.length === 0) return
    const { acceptor, companyRef } = this.#options
    const totals: Observer['totals'] = this.#observer?.totals ?? (newTotals() satisfies ConnectorTotals)
    const batches = new BatchAcceptor({ acceptor, companyRef, totals, onProblem: message => this.#show(message) })
    await (isBody ? batches.acceptBody(json) : batches.acceptSamples(json))
  }

  async #sync(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      await pause(syncIntervalMs, signal)
      if (!this.isEmpty) await this.#options.file.sync().catch((error: unknown) => this.#report(error))
    }
  }

  /** Whether bytes are within the limits. */
  #fits(bytes: number): boolean {
    const { file, space } = this.#options
    return file.bytes + bytes <= space.eachBytes && space.usedBytes + bytes <= space.totalBytes
  }

  #change(change: () => void): void {
    const { file, space } = this.#options
    const before = file.bytes
    try {
      change()
    } finally {
      space.usedBytes += file.bytes - before
      this.#changed.ring()
    }
  }

  #report(error: unknown): void {
    this.#show(error instanceof Error ? error.message : String(error))
  }

  #show(message: string): void {
    if (this.#observer === null) this.#options.logger.warn({ problem: message }, 'A buffer has a problem')
    else this.#observer.onProblem(message)
  }
}
