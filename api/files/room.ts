import { unavailable } from '../../schema/errors.ts'
import { Shares } from '../../shared/shares.ts'

interface Count {
  readonly company: string
  readonly bytes: number
}

/**
 * How much of the disk files may take together: what was counted last, and what this process has added since. Of several companies
 * each has its share (see `Shares`), so that one that keeps many files leaves room for the others.
 */
export class DiskRoom {
  readonly #mostBytes: number
  readonly #isShared: () => boolean
  #shares: Shares
  #addedSince: Count[] = []

  constructor(mostBytes: number, isShared: () => boolean) {
    this.#mostBytes = mostBytes
    this.#isShared = isShared
    this.#shares = this.#empty()
  }

  /** All files are counted from now on. */
  startCount(): void {
    this.#addedSince = []
  }

  /** They have been; what was added meanwhile may be among them or not. */
  counted(files: readonly Count[]): void {
    this.#shares = this.#empty()
    for (const { company, bytes } of [...files, ...this.#addedSince]) this.#shares.add(company, bytes)
  }

  /** Files have grown by so much, or gone where it is below 0. */
  add(company: string, bytes: number): void {
    this.#shares.add(company, bytes)
    this.#addedSince.push({ company, bytes })
  }

  /** Throws 503 where the company may add nothing more until some of its files are gone. */
  refuseWhereFull(company: string): void {
    if (this.#shares.fits(company, 1)) return
    throw unavailable('There is no room for more files of reports until some of them expire', 600)
  }

  #empty(): Shares {
    return new Shares({ room: this.#mostBytes, isShared: this.#isShared })
  }
}
