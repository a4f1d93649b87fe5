interface Waiting {
  readonly run: () => void
}

/**
 * Runs work with limited concurrency. Waiting work runs in rotation of its tenants (companies): a tenant with a hundred
 * items delays another tenant by one of them, not by all.
 */
export class FairQueue {
  readonly #concurrency: number
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** Resolves or rejects with the outcome of the work. */
  async run<Result>(tenant: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#concurrency) this.#running++
    else await this.#waitForTurn(tenant)
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  #waitForTurn(tenant: string): Promise<void> {
    return new Promise(resolve => {
      const queue = this.#waiting.get(tenant)
      if (queue) queue.push({ run: resolve })
      else this.#waiting.set(tenant, [{ run: resolve }])
    })
  }

  /** Runs the next waiting work; its tenant becomes the last one in the rotation. */
  #next(): void {
    for (const [tenant, queue] of this.#waiting) {
      const next = queue.shift()
      this.#waiting.delete(tenant)
      if (queue.length > 0) this.#waiting.set(tenant, queue)
      if (next) {
        next.run()
        return
      }
    }
    this.#running--
  }
}
