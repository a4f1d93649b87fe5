import { unavailable } from '../../schema/errors.ts'

/** How much of the disk files may take together: what was counted last, and what this process has added since. */
export class Room {
  readonly #mostBytes: number
  #takenBytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** All files have been counted. */
  counted(bytes: number): void {
    this.#takenBytes = bytes
  }

  added(bytes: number): void {
    this.#takenBytes += bytes
  }

  /** Throws 503 where nothing more may be added until some of it is gone. */
  refuseWhereFull(): void {
    if (this.#takenBytes >= this.#mostBytes)
      throw unavailable('There is no room for more files of reports until some of them expire', 600)
  }
}
