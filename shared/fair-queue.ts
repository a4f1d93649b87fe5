interface Waiting {
  readonly run: () => void
}

/**
 * Runs work with limited concurrency. Waiting work runs in rotation of its tenants (companies): a tenant with a hundred
 * items delays another tenant by one of them, not by all.
 */
export class FairQueue {
  readonly #places: number
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0

  constructor(places: number) {
    this.#places = places
  }

  /** Resolves or rejects with the outcome of the work. */
  async run<Result>(holder: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#places) this.#running++
    else await this.#turnOf(holder)
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  #turnOf(holder: string): Promise<void> {
    return new Promise(resolve => {
      const queue = this.#waiting.get(holder)
      if (queue) queue.push({ run: resolve })
      else this.#waiting.set(holder, [{ run: resolve }])
    })
  }

  /** Hands the place on; the holder whose turn it was goes to the end. */
  #next(): void {
    for (const [holder, queue] of this.#waiting) {
      const next = queue.shift()
      this.#waiting.delete(holder)
      if (queue.length > 0) this.#waiting.set(holder, queue)
      if (next) {
        next.run()
        return
      }
    }
    this.#running--
  }
}
