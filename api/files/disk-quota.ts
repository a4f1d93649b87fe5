import { unavailable } from '../../schema/errors.ts'
import { Shares } from '../../shared/shares.ts'

/** Disk space of a stored file. */
export interface StoredFile {
  readonly company: string
  readonly bytes: number
}

/** A file that is being written: its space counts while it grows. */
export interface GrowingFile {
  /** Counts this space instead of the previous one. */
  resize(bytes: number): void
  /** The file is complete with this space, or deleted with 0. */
  end(bytes: number): void
}

export interface DiskQuotaOptions {
  /** Maximum disk space of all files. */
  readonly maxBytes: number
  /** Maximum number of files of a company. */
  readonly maxFiles: number
  readonly isShared: () => boolean
}

/**
 * Limits the disk space of all files and the number of files of a company: those of the last count, and those of this
 * process since then. Each of several companies has its share of the space (see `Shares`), so that a company with many
 * files leaves space for the other companies.
 */
export class DiskQuota {
  readonly #options: DiskQuotaOptions
  readonly #growing = new Set<{ readonly company: string; bytes: number }>()
  #completed: StoredFile[] = []
  #shares: Shares
  #files: Shares

  constructor(options: DiskQuotaOptions) {
    this.#options = options
    this.#shares = this.#emptyShares()
    this.#files = emptyCounts()
  }

  /** Starts a new count of all files. */
  startCount(): void {
    this.#completed = []
  }

  /** Replaces the counts; files that were completed during the count may be among `files` or not. */
  counted(files: readonly StoredFile[]): void {
    this.#shares = this.#emptyShares()
    this.#files = emptyCounts()
    for (const file of [...files, ...this.#completed, ...this.#growing]) this.#add(file)
  }

  /** Adds a file that is being written. Throws 503 if the company has too many files or no space. */
  begin(company: string): GrowingFile {
    const { maxFiles } = this.#options
    if (this.#files.usedBy(company) >= maxFiles)
      throw unavailable(`The company has ${maxFiles} files of reports, the maximum: retry when some have expired`, 600)
    this.requireSpace(company)
    const file = { company, bytes: 0 }
    this.#growing.add(file)
    this.#add(file)
    const resize = (bytes: number): void => {
      this.#shares.count(company, bytes - file.bytes)
      file.bytes = bytes
    }
    return {
      resize,
      end: bytes => {
        resize(bytes)
        this.#growing.delete(file)
        if (bytes === 0) this.#files.release(company, 1)
        else this.#completed.push(file)
      },
    }
  }

  /** Throws 503 if the company may use no more space until some of its files have expired. */
  requireSpace(company: string): void {
    if (this.#shares.fits(company, 1)) return
    throw unavailable('No disk space for more files of reports: retry when some have expired', 600)
  }

  #add({ company, bytes }: StoredFile): void {
    this.#shares.count(company, bytes)
    this.#files.count(company, 1)
  }

  #emptyShares(): Shares {
    return new Shares({ limit: this.#options.maxBytes, isShared: this.#options.isShared })
  }
}

function emptyCounts(): Shares {
  return new Shares({ limit: Infinity })
}
