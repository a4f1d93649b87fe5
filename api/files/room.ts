import { unavailable } from '../../schema/errors.ts'

/** How much of the disk files may take together: what was counted last, and what this process has added since. */
export class Room {
  readonly #mostBytes: number
  #takenBytes = 0
  #addedSince = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** All files are counted from now on. */
  startCount(): void {
    this.#addedSince = 0
  }

  /** They have been; what was added meanwhile may be among them or not. */
  counted(bytes: number): void {
    this.#takenBytes = bytes + this.#addedSince
  }

  added(bytes: number): void {
    this.#takenBytes += bytes
    this.#addedSince += bytes
  }

  /** Throws 503 where nothing more may be added until some of it is gone. */
  refuseWhereFull(): void {
    if (this.#takenBytes >= this.#mostBytes)
      throw unavailable('There is no room for more files of reports until some of them expire', 600)
  }
}
