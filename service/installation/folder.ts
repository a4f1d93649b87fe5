import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { InstallationError } from './check-installation.ts'

const fileName = 'installation.json'

/** Reads the id of the installation from the data folder; null: the folder has none. Rejects if the file is damaged. */
export async function readFolderInstallation(dataDir: string): Promise<string | null> {
  const path = join(dataDir, fileName)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const id = readId(text)
  if (id !== null) return id
  throw new InstallationError(
    `${path} is damaged: installationId is missing.\nWhat to do: delete the file; the next start writes it from log and store.`,
  )
}

/**
 * Writes the id to the data folder and flushes it to disk. After a crash, the file has either the old or the new
 * content.
 */
export async function writeFolderInstallation(dataDir: string, id: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const fresh = join(dataDir, `${fileName}.new`)
  const file = await open(fresh, 'w')
  try {
    await file.writeFile(`${JSON.stringify({ installationId: id }, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(fresh, join(dataDir, fileName))
}

function readId(text: string): string | null {
  try {
    const stored: unknown = JSON.parse(text)
    if (typeof stored !== 'object' || stored === null || !('installationId' in stored)) return null
    return typeof stored.installationId === 'string' ? stored.installationId : null
  } catch {
    return null
  }
}
