import type { SourceSession } from '../source/source.ts'
import type { StreamsDocument } from './document.ts'
import type { Situation } from './position.ts'
import type { SampleStream } from './sample-stream.ts'
import { storeChanges } from './stored-position.ts'

type Session = Pick<
  SourceSession,
  'position' | 'totals' | 'clock' | 'deliver' | 'waitForSpace' | 'positionChanged' | 'heard' | 'report' | 'lost'
>

/** Applies documents to a stream and delivers their samples; the position follows when they are acknowledged. */
export class DocumentDelivery {
  readonly #session: Session
  readonly #stream: SampleStream
  #acknowledged: Promise<unknown> = Promise.resolve()
  /** Machines whose devices the agent has. */
  machineIds: readonly string[] = []

  constructor(session: Session, stream: SampleStream) {
    this.#session = session
    this.#stream = stream
  }

  /** Applies a document, as `SampleStream.apply` does, and resolves when the next one may be read. */
  async apply(document: StreamsDocument, request: 'current' | 'sample', abandoned = 0): Promise<Situation> {
    const stream = this.#stream
    const before = { ...stream.totals, contactUs: stream.contactUs }
    const { situation, samples } = stream.apply(document, request, abandoned)
    if (situation !== 'continue' && request === 'sample') return situation
    this.#count(before)
    if (situation === 'overrun' || situation === 'restart') this.#reportLoss(document, situation, before)
    this.#deliver(samples)
    this.#session.heard(this.machineIds)
    await this.#session.waitForSpace()
    return situation
  }

  /** Skips the next observation, which cannot be read. */
  skip(): void {
    this.#stream.skip()
    this.#deliver([])
  }

  /** Resolves when all samples are acknowledged and the position describes them. */
  async settle(): Promise<void> {
    await this.#acknowledged
  }

  #deliver(samples: Parameters<Session['deliver']>[0]): void {
    const { position } = this.#session
    const changes = this.#stream.takeChanges()
    const store = () => {
      if (changes === null) return
      storeChanges(position, changes)
      this.#session.positionChanged()
    }
    // A rejection: the connector stops, and continues from the stored position later.
    const stored = this.#session.deliver(samples).then(store, () => undefined)
    this.#acknowledged = Promise.all([this.#acknowledged, stored])
  }

  #count(before: SampleStream['totals']): void {
    const { totals } = this.#session
    const { observations, duplicates, holes, restarts, backwards, invalid } = this.#stream.totals
    totals.observations += observations - before.observations
    totals.duplicates += duplicates - before.duplicates
    totals.holes += holes - before.holes
    totals.restarts += restarts - before.restarts
    totals.backwards += backwards - before.backwards
    const unreadable = invalid - before.invalid
    if (unreadable > 0) totals.rejected['invalid_sample'] = (totals.rejected['invalid_sample'] ?? 0) + unreadable
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
