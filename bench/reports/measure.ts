import { jsonChunks } from '../../api/json/write-json.ts'

/** Durations in ms. */
export class Times {
  readonly #all: number[] = []

  add(durationMs: number): void {
    this.#all.push(durationMs)
  }

  /** The quantile of the durations. */
  at(share: number): number {
    const sorted = this.#all.toSorted((a, b) => a - b)
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  }

  /** The ratio of the medians of this and other durations. */
  against(others: Times): string {
    return `${(this.at(0.5) / others.at(0.5)).toFixed(2)} times (${others.at(0.5).toFixed(0)} ms)`
  }

  toString(): string {
    return `p50 ${this.at(0.5).toFixed(0)} ms, p95 ${this.at(0.95).toFixed(0)} ms`
  }
}

/** Runs both the given number of times, first the product, then the comparison; the first two rounds do not count. */
export async function repeat(times: number, once: (count: boolean) => Promise<void>): Promise<void> {
  for (let i = 0; i < times + 2; i++) await once(i >= 2)
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now()
  await work()
  return performance.now() - before
}

/** Serializes the whole response; returns its length. */
export function lengthOf(body: object): number {
  let length = 0
  for (const chunk of jsonChunks(body)) length += chunk.length
  return length
}
