import type { TakenSamples } from './taken-samples.ts'

/** A samples partition while it is assigned to this process: its work runs one after the other, and ends when it is revoked. */
export class AssignedPartition {
  readonly partition: number
  /** The records offset of the last marker that was sent for it; -1: none. */
  markedOffset = -1
  /** Samples of the last slice. Their rows were copied: the next ones take their place. */
  taken: TakenSamples | null = null
  readonly #revoked = new AbortController()
  #last: Promise<unknown> = Promise.resolve()

  constructor(partition: number) {
    this.partition = partition
  }

  /** Aborted when the partition was taken away: nothing may be committed for it any more. */
  get revoked(): AbortSignal {
    return this.#revoked.signal
  }

  /** Runs the work after all that was given before. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work)
    this.#last = run.catch(() => undefined)
    return run
  }

  revoke(): void {
    this.#revoked.abort(new Error(`partition ${this.partition} was revoked`))
  }
}
