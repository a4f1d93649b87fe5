import { unavailable } from '../../schema/errors.ts'
import { Shares } from '../../shared/shares.ts'
import { diskUsage } from './folder.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'

/** Disk space of a stored file. */
export interface StoredFile {
  readonly company: string
  readonly bytes: number
}

/** A file that is being written: its space counts while it grows. */
interface GrowingFile {
  /** Counts this space instead of the previous one. */
  resize(bytes: number): void
  /** The file is complete with this space, or deleted with 0. */
  end(bytes: number): void
}

interface DiskQuotaOptions {
  readonly maxBytes: number
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

interface GrowthOptions {
  readonly quota: DiskQuota
  readonly company: string
  readonly file: GrowingFile
  readonly path: string
  /** Aborts when the file is no longer needed. */
  readonly signal?: AbortSignal | undefined
}

const checkEveryMs = 500

/** Counts the disk space of a growing file; `signal` aborts the writing if its company has no more space. */
export class FileSizeMonitor {
  readonly #options: GrowthOptions
  readonly #ending = new AbortController()
  readonly #timer: NodeJS.Timeout
  #isEnded = false

  constructor(options: GrowthOptions) {
    this.#options = options
    this.#timer = setInterval(() => crashOnRejection(this.#check()), checkEveryMs)
    options.signal?.addEventListener('abort', this.#forward, { once: true })
    if (options.signal?.aborted === true) this.#forward()
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  throwIfEnded(): void {
    this.#ending.signal.throwIfAborted()
  }

  end(bytes: number): void {
    clearInterval(this.#timer)
    this.#isEnded = true
    this.#options.signal?.removeEventListener('abort', this.#forward)
    this.#options.file.end(bytes)
  }

  async #check(): Promise<void> {
    const { quota, company, file, path } = this.#options
    // The next check repeats a failed read.
    const bytes = await diskUsage(path).catch(() => null)
    if (this.#isEnded || bytes === null) return
    file.resize(bytes)
    try {
      quota.requireSpace(company)
    } catch (error) {
      this.#ending.abort(error)
    }
  }

  readonly #forward = (): void => this.#ending.abort(this.#options.signal?.reason)
}
