import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderError } from './folder-errors.ts'

/** Makes the data folder, where there is none, and sees that it can be written. Rejects with a `StartError`. */
export async function openDataFolder(path: string): Promise<void> {
  const probe = join(path, `.probe-${process.pid}`)
  try {
    await mkdir(path, { recursive: true })
    await writeFile(probe, '')
    await rm(probe, { force: true })
  } catch (error) {
    throw folderError(error, path) ?? error
  }
}
