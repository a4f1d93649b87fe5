import { createHash } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Acceptor } from '../../ingest/accept/acceptor.ts'
import { asCompanyRef, type CompanyRef } from '../../schema/refs.ts'
import { BufferFile } from './buffer-file.ts'
import { type BufferSpace, SampleBuffer } from './sample-buffer.ts'

const suffix = '.buffer'

export interface BuffersOptions {
  /** Folder of the files, which only this process uses. */
  readonly folder: string
  readonly acceptor: Acceptor
  /** Limit of one file, and of all files, bytes. */
  readonly limits: Pick<BufferSpace, 'eachBytes' | 'totalBytes'>
  readonly logger: Pick<Logger, 'warn'>
}

/** The buffers of the connectors of a process: one file for each. */
export class Buffers {
  readonly #options: BuffersOptions
  readonly #space: BufferSpace
  readonly #byName = new Map<string, SampleBuffer>()

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
    if (known !== undefined) return known
    return this.#add(
      name,
      new BufferFile(join(this.#options.folder, name), JSON.stringify({ id, companyRef })),
      companyRef,
    )
  }

  /** Ends sending; the files keep what the log has not accepted. */
  async stop(): Promise<void> {
    await Promise.all([...this.#byName.values()].map(buffer => buffer.stop()))
    this.#byName.clear()
  }

  #openFile(name: string): void {
    const { folder, logger } = this.#options
    let file: BufferFile | null = null
    try {
      file = new BufferFile(join(folder, name), null)
      this.#add(name, file, readOwner(file.owner))
    } catch (error) {
      file?.close()
      logger.warn({ file: name, err: error }, 'A file in the folder of the buffers cannot be read')
    }
  }

  #add(name: string, file: BufferFile, companyRef: CompanyRef): SampleBuffer {
    const { acceptor, logger } = this.#options
    const buffer = new SampleBuffer({ file, companyRef, acceptor, space: this.#space, logger })
    this.#byName.set(name, buffer)
    return buffer
  }
}

function nameOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32) + suffix
}

function readOwner(text: string): CompanyRef {
  const owner: unknown = JSON.parse(text)
  const ref = typeof owner === 'object' && owner !== null && 'companyRef' in owner ? owner.companyRef : null
  if (typeof ref !== 'number') throw new RangeError('The buffer names no company')
  return asCompanyRef(ref)
}
