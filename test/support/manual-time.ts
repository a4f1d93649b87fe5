import { setImmediate as turn } from 'node:timers/promises'

interface Pause {
  readonly endMs: number
  readonly end: () => void
}

/** Time that advances only when a test advances it: tests with it are independent of the machine's load. */
export class ManualTime {
  #nowMs = 10_000
  readonly #pauses = new Set<Pause>()

  readonly nowMs = (): number => this.#nowMs

  /** Resolves when `ms` have passed, or as soon as the signal is aborted. */
  readonly pause = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise(resolve => {
      if (signal?.aborted === true) return resolve()
      const end = (): void => {
        this.#pauses.delete(pause)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const pause = { endMs: this.#nowMs + ms, end }
      this.#pauses.add(pause)
      signal?.addEventListener('abort', end, { once: true })
    })

  /** Advances the time by `ms`: pauses end one after the other, and the work after each completes before the next one ends. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    await turn()
    for (let next = this.#nextUntil(untilMs); next; next = this.#nextUntil(untilMs)) {
      this.#nowMs = next.endMs
      next.end()
      await turn()
    }
    this.#nowMs = untilMs
  }

  /** Advances the time until `work` is done. Returns the elapsed milliseconds. */
  async tookMs(work: Promise<unknown>): Promise<number> {
    const startedMs = this.#nowMs
    const state = { isDone: false }
    const done = work.then(() => (state.isDone = true))
    await turn()
    while (!state.isDone) {
      const next = this.#nextUntil(Infinity)
      if (next === undefined) throw new Error('Nothing is left that could end the work')
      await this.pass(next.endMs - this.#nowMs)
    }
    await done
    return this.#nowMs - startedMs
  }

  #nextUntil(untilMs: number): Pause | undefined {
    const [first] = [...this.#pauses].toSorted((left, right) => left.endMs - right.endMs)
    return first !== undefined && first.endMs <= untilMs ? first : undefined
  }
}
