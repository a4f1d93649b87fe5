import { Notifier } from '../../shared/async/waiting.ts'

interface WaitingLimits {
  readonly ofConnector: number
  readonly ofProcess: number
}

/** Limits of the bytes of samples that wait for the log: of a connector, and of all connectors of the process. */
const waitingLimits: WaitingLimits = { ofConnector: 8 << 20, ofProcess: 256 << 20 }

/** Counts the bytes of the samples of all connectors that wait for the log. */
export class WaitingSamples {
  readonly #limits: WaitingLimits
  readonly #freed = new Notifier()
  #bytes = 0

  constructor(limits: WaitingLimits = waitingLimits) {
    this.#limits = limits
  }

  /** Adds bytes; negative: removes them. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (bytes <= 0) this.#freed.ring()
  }

  /** Whether a connector whose samples have these bytes may read more. */
  hasSpace(ofConnector: number): boolean {
    return ofConnector < this.#limits.ofConnector && (ofConnector === 0 || this.#bytes < this.#limits.ofProcess)
  }

  /** Resolves at the next removal. */
  freed(): Promise<void> {
    return this.#freed.wait()
  }
}
