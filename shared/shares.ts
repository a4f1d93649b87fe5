export interface SharesOptions {
  /** Total quota: bytes, requests or connections. */
  readonly room: number
  /** Whether there may be more than one tenant; a single tenant may use the whole quota. Default: true. */
  readonly isShared?: () => boolean
}

/**
 * Divides a quota fairly among tenants (companies, addresses), so that none can starve another. A tenant may use as
 * much as remains free: a single tenant gets at most half, two get a third each, and there is always something left for
 * the next. A tenant that uses nothing may use the remainder.
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

  /** Sum of the reserved amounts of all tenants. */
  get taken(): number {
    return this.#taken
  }

  heldBy(tenant: string): number {
    return this.#held.get(tenant) ?? 0
  }

  /** Returns whether the tenant may reserve this additional amount. */
  fits(tenant: string, amount: number): boolean {
    const free = this.#room - this.#taken - amount
    if (free < 0) return false
    const held = this.heldBy(tenant)
    return held === 0 || !this.#isShared() || held + amount <= free
  }

  /**
   * Reserves an additional amount for the tenant; returns false and reserves nothing if the quota does not allow it.
   */
  take(tenant: string, amount: number): boolean {
    if (!this.fits(tenant, amount)) return false
    this.add(tenant, amount)
    return true
  }

  /** Counts an amount that the tenant already uses, even if it exceeds the quota. */
  add(tenant: string, amount: number): void {
    this.#taken += amount
    this.#held.set(tenant, this.heldBy(tenant) + amount)
  }

  /** Releases a reserved amount. */
  give(tenant: string, amount: number): void {
    const left = this.heldBy(tenant) - amount
    this.#taken -= amount
    if (left > 0) this.#held.set(tenant, left)
    else this.#held.delete(tenant)
  }
}
