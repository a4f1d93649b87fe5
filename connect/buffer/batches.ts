import type { WireSample } from '../../schema/topics.ts'

/** Limits of a batch. */
export const batchLimits = { samples: 2_000, bytes: 4 << 20 } as const

/** Samples that are sent together. */
export interface SampleText {
  /** JSON of the samples, joined by commas. */
  readonly json: Buffer
  readonly count: number
}

/** Divides samples into texts within the limits of a batch, at least one. */
export function textsOf(samples: readonly WireSample[]): readonly SampleText[] {
  const parts: SampleText[] = []
  let texts: string[] = []
  let length = 0
  const cut = (): void => {
    parts.push({ json: Buffer.from(texts.join()), count: texts.length })
    texts = []
    length = 0
  }
  for (const sample of samples) {
    const text = JSON.stringify(sample)
    if (texts.length >= batchLimits.samples || length + text.length > batchLimits.bytes) cut()
    texts.push(text)
    length += text.length
  }
  cut()
  return parts
}

/** Joins texts of samples; empty ones add nothing. */
export function joinTexts(texts: readonly SampleText[]): Buffer {
  return Buffer.concat(texts.flatMap(({ json, count }) => (count > 0 ? [comma, json] : [])).slice(1))
}

const comma = Buffer.from(',')
