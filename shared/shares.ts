export interface SharesOptions {
  /** Total amount: bytes, slots or connections. */
  readonly limit: number
  /** Whether there may be several tenants; a single one may use the whole limit. Default: true. */
  readonly isShared?: () => boolean
}

/**
 * Divides a limit into fair shares of tenants (companies, addresses), so that none can starve another. A tenant may use
 * more as long as at least the same amount stays free: a single one gets at most half, two under full load get a third
 * each, and a part always stays free for the next. A tenant without any may reserve the last of it.
 */
export class Shares {
  readonly #limit: number
  readonly #isShared: () => boolean
  readonly #byTenant = new Map<string, number>()
  #used = 0

  constructor({ limit, isShared = () => true }: SharesOptions) {
    this.#limit = limit
    this.#isShared = isShared
  }

  /** Amount of all tenants together. */
  get used(): number {
    return this.#used
  }

  usedBy(tenant: string): number {
    return this.#byTenant.get(tenant) ?? 0
  }

  /** Whether the tenant may use this additional amount. */
  fits(tenant: string, amount: number): boolean {
    const free = this.#limit - this.#used - amount
    if (free < 0) return false
    const used = this.usedBy(tenant)
    return used === 0 || !this.#isShared() || used + amount <= free
  }

  /**
   * Reserves an additional amount for the tenant; returns false and reserves nothing if its share does not allow it.
   */
  reserve(tenant: string, amount: number): boolean {
    if (!this.fits(tenant, amount)) return false
    this.count(tenant, amount)
    return true
  }

  /** Counts an amount that the tenant uses already, even beyond its share. */
  count(tenant: string, amount: number): void {
    this.#used += amount
    this.#byTenant.set(tenant, this.usedBy(tenant) + amount)
  }

  release(tenant: string, amount: number): void {
    const left = this.usedBy(tenant) - amount
    this.#used -= amount
    if (left > 0) this.#byTenant.set(tenant, left)
    else this.#byTenant.delete(tenant)
  }
}
