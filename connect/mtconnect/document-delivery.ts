import type { WireSample } from '../../schema/topics.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { inParts } from '../../shared/collections/in-parts.ts'
import type { SourceSession } from '../source/source.ts'
import type { StreamsDocument } from './document.ts'
import { maxItems } from './machine-items.ts'
import type { Situation } from './position.ts'
import type { SampleStream } from './sample-stream.ts'
import { storeChanges } from './stored-position.ts'

/** Samples that are converted to JSON between two yields. */
const partSamples = 2_000

type Session = Pick<
  SourceSession,
  | 'position'
  | 'totals'
  | 'clock'
  | 'deliver'
  | 'waitForSpace'
  | 'positionChanged'
  | 'heard'
  | 'report'
  | 'lost'
  | 'warn'
>

/** Applies documents to a stream and delivers their samples; the position follows when they are acknowledged. */
export class DocumentDelivery {
  readonly #session: Session
  readonly #stream: SampleStream
  #acknowledged: Promise<void> = Promise.resolve()
  /** Machines whose devices the agent has. */
  machineIds: readonly string[] = []

  constructor(session: Session, stream: SampleStream) {
    this.#session = session
    this.#stream = stream
  }

  /** Applies a document, as `SampleStream.apply` does, and resolves when the next one may be read. */
  async apply(document: StreamsDocument, request: 'current' | 'sample', abandoned = 0): Promise<Situation> {
    const stream = this.#stream
    const before = { ...stream.totals, ignored: stream.ignored, contactUs: stream.contactUs }
    const nowUs = this.#session.clock() * 1000
    const { situation, samples } = await runCooperatively(stream.applyInSteps(document, request, abandoned, nowUs))
    if (situation !== 'continue' && request === 'sample') return situation
    this.#count(before)
    if (situation === 'overrun' || situation === 'restart') this.#reportLoss(document, situation, before)
    await this.#deliver(samples)
    this.#session.heard(this.machineIds)
    await this.#session.waitForSpace()
    return situation
  }

  /** Skips the next observation, which cannot be read. */
  async skip(): Promise<void> {
    this.#stream.skip()
    await this.#deliver([])
  }

  /** Resolves when all samples are acknowledged and the position describes them. */
  async settle(): Promise<void> {
    await this.#acknowledged
  }

  /** Resolves when the samples are passed on, in parts: to convert those of a large document to JSON takes a second. */
  async #deliver(samples: readonly WireSample[]): Promise<void> {
    const { position } = this.#session
    const changes = this.#stream.takeChanges()
    const parts = [...inParts(samples, partSamples)]
    const slice = new TimeSlice()
    for (const part of parts.slice(0, -1)) {
      // A rejection is that of the last part, too.
      this.#session.deliver(part).catch(() => undefined)
      await this.#session.waitForSpace()
      if (slice.isOver) await slice.next()
    }
    const store = () => {
      if (changes === null) return
      storeChanges(position, changes)
      this.#session.positionChanged()
    }
    // A rejection: the connector stops, and continues from the stored position later.
    const stored = this.#session.deliver(parts.at(-1) ?? []).then(store, () => undefined)
    // Without the results, which would contain those of all earlier deliveries.
    this.#acknowledged = Promise.all([this.#acknowledged, stored]).then(() => undefined)
  }

  #count(before: SampleStream['totals'] & { readonly ignored: number }): void {
    const { totals } = this.#session
    const { observations, duplicates, holes, restarts, backwards, invalid } = this.#stream.totals
    totals.observations += observations - before.observations
    totals.duplicates += duplicates - before.duplicates
    totals.holes += holes - before.holes
    totals.restarts += restarts - before.restarts
    totals.backwards += backwards - before.backwards
    this.#reject('invalid_sample', invalid - before.invalid)
    const { ignored } = this.#stream
    this.#reject('too_many_items', ignored - before.ignored)
    if (ignored > 0 && before.ignored === 0)
      this.#session.warn(`The agent has more than ${maxItems} data items: the others are not read`)
  }

  #reject(reason: string, count: number): void {
    const { rejected } = this.#session.totals
    if (count > 0) rejected[reason] = (rejected[reason] ?? 0) + count
  }

  #reportLoss(
    { header }: StreamsDocument,
    situation: 'overrun' | 'restart',
    before: { readonly lost: number; readonly contactUs: number | null },
  ): void {
    const { creationUs } = header
    // The agent's clock may differ from the own one by hours, but measures the duration.
    const toMs = this.#session.clock()
    const goneUs = creationUs === null || before.contactUs === null ? 0 : creationUs - before.contactUs
    const lost = situation === 'overrun' ? this.#stream.totals.lost - before.lost : null
    this.#session.lost({ fromMs: toMs - Math.max(0, goneUs) / 1000, toMs, lost })
  }
}
