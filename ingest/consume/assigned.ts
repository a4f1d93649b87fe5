import { AcceptedSamples } from './accepted-samples.ts'
import { bytesOfSample, type RecordSlice } from './decode-slice.ts'

/**
 * A samples partition that is assigned to this process: its work is sequential, and ends when the partition is revoked.
 */
export class AssignedPartition {
  readonly partition: number
  /** Records offset of the last marker that was sent for it; -1: none. */
  markedOffset = -1
  #samples: AcceptedSamples | null = null
  readonly #revoked = new AbortController()
  #last: Promise<unknown> = Promise.resolve()

  constructor(partition: number) {
    this.partition = partition
  }

  /** Aborted when the partition is revoked: offsets must no longer be committed. */
  get revoked(): AbortSignal {
    return this.#revoked.signal
  }

  /** Runs the work after all earlier work. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work)
    this.#last = run.catch(() => undefined)
    return run
  }

  /** Returns empty columns for a slice: those of the last one, whose rows were copied, if they can be reused. */
  samplesOf({ bytes }: RecordSlice): AcceptedSamples {
    if (this.#samples?.reuse()) return this.#samples
    return (this.#samples = new AcceptedSamples(Math.ceil(bytes / bytesOfSample)))
  }

  revoke(): void {
    this.#revoked.abort(new Error(`partition ${this.partition} was revoked`))
  }
}
