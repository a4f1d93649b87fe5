import { createHash } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Acceptor } from '../../ingest/accept/acceptor.ts'
import { asCompanyRef, type CompanyRef } from '../../schema/refs.ts'
import { BufferFile } from './buffer-file.ts'
import { type BufferSpace, SampleBuffer } from './sample-buffer.ts'

const suffix = '.buffer'
/** Version of the format of the files. */
const bufferFormat = 1

export interface BuffersOptions {
  /** Folder of the files, which only this process uses. */
  readonly folder: string
  readonly acceptor: Acceptor
  /** Limit of one file, and of all files, bytes. */
  readonly limits: Pick<BufferSpace, 'eachBytes' | 'totalBytes'>
  readonly logger: Pick<Logger, 'warn'>
}

/** The connector of a file. */
interface Owner {
  /** Id of its position. */
  readonly id: string
  readonly companyRef: CompanyRef
}

interface OwnedBuffer {
  readonly id: string
  readonly buffer: SampleBuffer
}

/** The buffers of the connectors of a process: one file for each. */
export class Buffers {
  readonly #options: BuffersOptions
  readonly #space: BufferSpace
  readonly #byName = new Map<string, OwnedBuffer>()

  private constructor(options: BuffersOptions) {
    this.#options = options
    this.#space = { ...options.limits, usedBytes: 0 }
  }

  /** Opens the files of the folder, and sends their samples. A file that cannot be opened waits for its connector. */
  static async open(options: BuffersOptions): Promise<Buffers> {
    const buffers = new Buffers(options)
    await mkdir(options.folder, { recursive: true })
    for (const name of await readdir(options.folder)) if (name.endsWith(suffix)) buffers.#openFile(name)
    return buffers
  }

  /**
   * Returns the buffer of a connector; creates it if it is missing. `id`: the id of the connector's position. Throws if
   * the file cannot be opened: a later call tries it again.
   */
  of(id: string, companyRef: CompanyRef): SampleBuffer {
    const name = nameOf(id)
    const known = this.#byName.get(name)
    if (known !== undefined) return known.buffer
    const path = join(this.#options.folder, name)
    return this.#open(name, path, JSON.stringify({ format: bufferFormat, id, companyRef }))
  }

  /** Forgets the notes of connectors that were deleted. `isDeleted`: by the id of the connector's position. */
  forgetNotes(isDeleted: (id: string) => boolean): void {
    for (const { id, buffer } of this.#byName.values()) if (isDeleted(id)) buffer.forget(Infinity)
  }

  /** Ends sending; the files keep what the log has not accepted. */
  async stop(): Promise<void> {
    await Promise.all([...this.#byName.values()].map(({ buffer }) => buffer.stop()))
    this.#byName.clear()
  }

  #openFile(name: string): void {
    const { folder, logger } = this.#options
    try {
      this.#open(name, join(folder, name), null)
    } catch (error) {
      logger.warn({ file: name, err: error }, 'A file in the folder of the buffers cannot be read')
    }
  }

  /** Opens a file, or creates it for an owner. Throws as `of` does, and if a later version wrote the file. */
  #open(name: string, path: string, owner: string | null): SampleBuffer {
    const file = new BufferFile(path, owner)
    try {
      return this.#add(name, file, readOwner(file.owner))
    } catch (error) {
      file.close()
      throw error
    }
  }

  #add(name: string, file: BufferFile, { id, companyRef }: Owner): SampleBuffer {
    const { acceptor, logger } = this.#options
    const buffer = new SampleBuffer({ file, companyRef, acceptor, space: this.#space, logger })
    this.#byName.set(name, { id, buffer })
    return buffer
  }
}

function nameOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32) + suffix
}

function readOwner(text: string): Owner {
  const owner: unknown = JSON.parse(text)
  const format = typeof owner === 'object' && owner !== null && 'format' in owner ? owner.format : null
  if (format !== bufferFormat)
    throw new RangeError(
      `The buffer has format ${JSON.stringify(format)}, this version reads ${bufferFormat}. Start the version that wrote it until the buffer is empty`,
    )
  const ref = typeof owner === 'object' && owner !== null && 'companyRef' in owner ? owner.companyRef : null
  const id = typeof owner === 'object' && owner !== null && 'id' in owner ? owner.id : null
  if (typeof ref !== 'number' || typeof id !== 'string') throw new RangeError('The buffer names no connector')
  return { id, companyRef: asCompanyRef(ref) }
}
