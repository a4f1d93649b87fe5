import type { WireSample } from '../../schema/topics.ts'
import { createSerial } from '../../shared/async/serial.ts'
import type { Note } from '../source/note.ts'
import { textsOf } from './batches.ts'
import type { BufferRecord } from './buffer-record.ts'
import { DeliveryStopped } from './delivery-stopped.ts'
import type { SampleBuffer } from './sample-buffer.ts'

/** Delivers the samples of one connector to its buffer on disk, in order. */
export class BufferedDelivery {
  readonly #buffer: SampleBuffer
  /** UTC ms. */
  readonly #clock: () => number
  readonly #inOrder = createSerial()
  #isStopped = false

  constructor(buffer: SampleBuffer, clock: () => number) {
    this.#buffer = buffer
    this.#clock = clock
  }

  /** See `SourceSession.deliver`; resolves when the samples are in the file. */
  deliver(samples: readonly WireSample[], note?: Note): Promise<void> {
    const texts = samples.length === 0 ? [] : textsOf(samples)
    const atMs = this.#clock()
    const noteOf = (index: number) => (index === texts.length - 1 ? note : undefined)
    return this.#append(
      texts.map(({ json, count }, index) => ({ json, count, isBody: false, atMs, note: noteOf(index) })),
    )
  }

  /** See `SourceSession.deliverBody`; resolves when the body is in the file. */
  deliverBody(body: Buffer): Promise<void> {
    return this.#append([{ json: body, count: 0, isBody: true, atMs: this.#clock() }])
  }

  /** Samples do not wait in memory. */
  get bytes(): number {
    return 0
  }

  hasSpace(): boolean {
    return this.#buffer.hasSpace()
  }

  /** Resolves also when the delivery stops. */
  async waitForSpace(): Promise<void> {
    while (!this.#isStopped && !this.#buffer.hasSpace()) await this.#buffer.changed()
  }

  /** Resolves when all samples are in the file. */
  async flush(): Promise<void> {
    await this.#append([]).catch(() => undefined)
  }

  /** Resolves when the log has all samples. */
  async drain(): Promise<void> {
    await this.flush()
    await this.#buffer.drain()
  }

  /** Ends the delivery; returns whether samples are abandoned: those in the file are not. */
  stop(): boolean {
    this.#isStopped = true
    this.#buffer.observe(null)
    return false
  }

  #append(records: readonly BufferRecord[]): Promise<void> {
    const appended = this.#inOrder(async () => {
      for (const record of records)
        for (;;) {
          if (this.#isStopped) throw new DeliveryStopped('The connector stops')
          if (this.#buffer.append(record)) break
          await this.#buffer.changed()
        }
    })
    // A source may ignore the rejection, which only says that the connector stops.
    appended.catch(() => undefined)
    return appended
  }
}
