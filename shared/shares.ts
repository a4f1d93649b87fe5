export interface SharesOptions {
  /** Total amount: bytes, places, connections. */
  readonly room: number
  /** Whether there may be more than one holder; where there is only one, all of the room is its own. Default: true. */
  readonly isShared?: () => boolean
}

/**
 * Divides a bounded room among holders (companies, addresses) so that none can starve another. A holder may take more as long as
 * it then has no more than what is left free: one alone gets at most half, two that want all get a third each, and there is always
 * something left for the next. A holder that has nothing yet may take the last of it.
 */
export class Shares {
  readonly #room: number
  readonly #isShared: () => boolean
  readonly #held = new Map<string, number>()
  #taken = 0

  constructor({ room, isShared = () => true }: SharesOptions) {
    this.#room = room
    this.#isShared = isShared
  }

  /** Sum of what all of them have. */
  get taken(): number {
    return this.#taken
  }

  heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0
  }

  /** Whether the tenant may use this additional amount. */
  fits(holder: string, amount: number): boolean {
    const free = this.#room - this.#taken - amount
    if (free < 0) return false
    const held = this.heldBy(holder)
    return held === 0 || !this.#isShared() || held + amount <= free
  }

  /**
   * Reserves an additional amount for the tenant; returns false and reserves nothing if the quota does not allow it.
   */
  take(holder: string, amount: number): boolean {
    if (!this.fits(holder, amount)) return false
    this.add(holder, amount)
    return true
  }

  /** Counts what the holder has taken already, whether it may have it or not. */
  add(holder: string, amount: number): void {
    this.#taken += amount
    this.#held.set(holder, this.heldBy(holder) + amount)
  }

  /** Releases a reserved amount. */
  give(holder: string, amount: number): void {
    const left = this.heldBy(holder) - amount
    this.#taken -= amount
    if (left > 0) this.#held.set(holder, left)
    else this.#held.delete(holder)
  }
}
