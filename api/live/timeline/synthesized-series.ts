import type { TimelineSample } from '../../../schema/requests/live.ts'
import type { Documented, SynthesizedMetric } from './synthesized.ts'

/** The samples of one synthesized key: first the history, then changes in the documents. */
export class SynthesizedSeries {
  readonly metric: SynthesizedMetric
  #fromMs: number
  #last: string | null = null

  constructor(metric: SynthesizedMetric, fromMs: number) {
    this.metric = metric
    this.#fromMs = fromMs
  }

  /** Start of the documents that the next samples need, UTC ms. */
  get fromMs(): number {
    return this.#fromMs
  }

  /** The samples of the documents that were not sent yet. */
  next({ spans, parts }: Documented): readonly TimelineSample[] {
    const fromMs = this.#fromMs
    const clipped = spans
      .filter(({ endMs }) => endMs > fromMs)
      .map(span => (span.startMs < fromMs ? Object.assign({}, span, { startMs: fromMs }) : span))
    const newParts = parts.filter(({ atMs }) => atMs >= fromMs)
    return this.metric.samples({ spans: clipped, parts: newParts }).flatMap(sample => this.#changeOf(sample))
  }

  #changeOf({ value, startUnixMs }: Pick<TimelineSample, 'value' | 'startUnixMs'>): readonly TimelineSample[] {
    const { key, type, subtype, isTotal } = this.metric
    // A state is read again from its last change, a total from just after the last parts.
    this.#fromMs = isTotal ? startUnixMs + 1 : startUnixMs
    const text = isTotal ? String(Number(this.#last ?? 0) + Number(value)) : value
    if (text === this.#last) return []
    this.#last = text
    return [{ key, value: text, type, subtype, startUnixMs }]
  }
}
