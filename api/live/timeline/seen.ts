import { createHash } from 'node:crypto'
import type { Observation } from './ports.ts'

/** Default number of recent samples among which a repetition is detected. */
const usual = 2_000

/** Equal for samples with the same instant, metric and value. */
export function identityOf({ atUs, key, type, subtype, value }: Observation): string {
  return JSON.stringify([atUs, key, type, subtype, value])
}

/** Detects repeated samples: by instant, metric and value. */
export class SampleDeduplicator {
  /** Six bytes of a hash each, because machines determine the length of the texts. */
  readonly #identities = new Set<number>()
  #capacity = usual

  /** Number of samples that it stores. */
  get capacity(): number {
    return this.#capacity
  }

  /** Sets the number of samples to store, at least the default. */
  setCapacity(capacity: number): void {
    this.#capacity = Math.max(usual, capacity)
    while (this.#identities.size > this.#capacity) this.#forgetOldest()
  }

  /** Adds a sample; returns whether it is new. */
  add(sample: Observation): boolean {
    const identity = createHash('sha1').update(identityOf(sample)).digest().readUIntBE(0, 6)
    if (this.#identities.has(identity)) return false
    this.#identities.add(identity)
    if (this.#identities.size > this.#capacity) this.#forgetOldest()
    return true
  }

  #forgetOldest(): void {
    for (const oldest of this.#identities) {
      this.#identities.delete(oldest)
      return
    }
  }
}
