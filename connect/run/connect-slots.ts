/** Maximum time for which a slot is held, ms: sources that never answer must not stop those of other companies. */
const defaultHeldMs = 10_000

/** Limits how many connectors of the process connect at the same time. */
export class ConnectSlots {
  #free: number
  readonly #heldMs: number
  readonly #waiting: (() => void)[] = []

  constructor(slots: number, heldMs = defaultHeldMs) {
    this.#free = slots
    this.#heldMs = heldMs
  }

  /** Resolves with a function that releases the slot, which may be called repeatedly. A slot that is held too long is released. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      clearTimeout(timer)
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
    const timer = setTimeout(release, this.#heldMs)
    return release
  }
}
