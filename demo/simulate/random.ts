/**
 * Returns 32 pseudo-random bits that depend on all numbers: a mixer like the finaliser of MurmurHash3, applied
 * repeatedly.
 */
export function hash(...numbers: readonly number[]): number {
  let mixed = 0x9e3779b9
  for (const number of numbers) {
    mixed = Math.imul(mixed ^ (number | 0), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    mixed ^= mixed >>> 16
  }
  return mixed >>> 0
}

/** Generates a sequence of numbers that depends only on its seed (mulberry32). */
export class Random {
  #state: number

  constructor(start: number) {
    this.#state = start
  }

  /** Returns a number that is uniformly distributed in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Returns a number that is uniformly distributed in [from, to). */
  between(from: number, to: number): number {
    return from + (to - from) * this.next()
  }

  /** Returns an integer in [from, to). */
  integer(from: number, to: number): number {
    return Math.floor(this.between(from, to))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.integer(0, items.length)] ?? items[0]
  }
}

/** Returns a UUID (version 4 in form) that depends only on the numbers. */
export function uuidOf(...numbers: readonly number[]): string {
  const hex = [0, 1, 2, 3]
    .map(part =>
      hash(...numbers, part)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
  const variant = '89ab'[hash(...numbers, 4) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
