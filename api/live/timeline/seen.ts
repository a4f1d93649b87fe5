import { createHash } from 'node:crypto'
import type { Observation } from './ports.ts'

/** Number of past samples in which a replay is detected by default. */
const usual = 2_000

/** Equal for samples that are one. */
export function identityOf({ atUs, key, type, subtype, value }: Observation): string {
  return JSON.stringify([atUs, key, type, subtype, value])
}

/** Recognises samples that come once more: by instant, metric and value. */
export class SampleDeduplicator {
  /** Six bytes of a hash each: texts would take as much memory as machines choose. */
  readonly #identities = new Set<number>()
  #most = usual

  /** How many samples it remembers. */
  get most(): number {
    return this.#most
  }

  /** Remembers this number of samples from now on, at least the default. */
  remember(most: number): void {
    this.#most = Math.max(usual, most)
    while (this.#identities.size > this.#most) this.#forgetOldest()
  }

  /** Whether the sample is new. */
  add(sample: Observation): boolean {
    const identity = createHash('sha1').update(identityOf(sample)).digest().readUIntBE(0, 6)
    if (this.#identities.has(identity)) return false
    this.#identities.add(identity)
    if (this.#identities.size > this.#most) this.#forgetOldest()
    return true
  }

  #forgetOldest(): void {
    for (const oldest of this.#identities) {
      this.#identities.delete(oldest)
      return
    }
  }
}
