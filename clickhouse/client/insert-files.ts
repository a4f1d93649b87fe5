import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** In-memory file system of Linux; containers often have 64 MB of it. */
const memoryFolder = '/dev/shm'
/** Space that stays free for other programs. */
const reservedBytes = 16_000_000

/** Part of the file names of this process. Unique, because process ids are reused. */
const ownName = randomUUID()

/**
 * Files from which the engine in this process reads inserted rows: in memory if there is space, otherwise in a separate
 * folder beside the data of the engine. A file exists only while its insert runs.
 */
export class InsertFiles {
  readonly #folder: string
  readonly #prefix: string
  #count = 0

  private constructor(folder: string, prefix: string) {
    this.#folder = folder
    this.#prefix = prefix
  }

  /** Deletes files of earlier processes that used `enginePath`. */
  static async open(enginePath: string): Promise<InsertFiles> {
    const path = resolve(enginePath)
    const folder = join(path, 'inserts')
    // Only one process uses the path at a time, so files of other processes are left over.
    const prefix = `takt-${createHash('sha256').update(path).digest('hex').slice(0, 16)}-`
    await Promise.all([deleteFiles(memoryFolder, prefix), deleteFiles(folder, prefix)])
    return new InsertFiles(folder, prefix)
  }

  /** Writes a file for the duration of the call. Rejects if no folder has space. */
  async use<Result>(bytes: Uint8Array, work: (path: string) => Promise<Result>): Promise<Result> {
    const path = await this.#write(bytes)
    try {
      return await work(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  async #write(bytes: Uint8Array): Promise<string> {
    const name = `${this.#prefix}${ownName}-${++this.#count}`
    if (await hasSpace(bytes.length)) {
      // If it is full or not writable for this user, the folder is used.
      const path = await create(join(memoryFolder, name), bytes).catch(() => null)
      if (path !== null) return path
    }
    await mkdir(this.#folder, { recursive: true })
    return create(join(this.#folder, name), bytes)
  }
}

/** Returns the path; leaves no file after a failure. */
async function create(path: string, bytes: Uint8Array): Promise<string> {
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 })
    return path
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

async function hasSpace(bytes: number): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(memoryFolder)
    return bavail * bsize > bytes + reservedBytes
  } catch {
    return false
  }
}

async function deleteFiles(folder: string, prefix: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  const left = names.filter(name => name.startsWith(prefix) && !name.startsWith(prefix + ownName))
  await Promise.all(left.map(name => rm(join(folder, name), { force: true })))
}
