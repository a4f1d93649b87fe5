/** Something that has work to do now and then, and does it when it is its turn. */
export interface Turn {
  isQueued: boolean
  flush(): void
}

/** So long the event loop is kept from other work. */
const sliceMs = 3

/**
 * Gives everyone that has work a turn, first come first served, in slices between which the process takes in what is new. The more
 * there is to do, the longer a round takes, and the more is replaced by newer frames before it is sent: that is what holds under
 * overload.
 */
export class Turns {
  #queue: Turn[] = []
  #next = 0
  #isScheduled = false

  add(turn: Turn): void {
    turn.isQueued = true
    this.#queue.push(turn)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#run()
    })
  }

  #run(): void {
    const untilMs = performance.now() + sliceMs
    // Who queues again meanwhile waits for the next slice: a single one must not keep the process to itself.
    const end = this.#queue.length
    while (this.#next < end) {
      const turn = this.#queue[this.#next++]
      if (turn === undefined) continue
      turn.isQueued = false
      turn.flush()
      if ((this.#next & 15) === 0 && performance.now() > untilMs) break
    }
    this.#forgetDone()
    if (this.#next < this.#queue.length) this.#schedule()
  }

  #forgetDone(): void {
    if (this.#next === this.#queue.length) {
      this.#queue = []
      this.#next = 0
    } else if (this.#next > 4096) {
      this.#queue = this.#queue.slice(this.#next)
      this.#next = 0
    }
  }
}
