import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { InstallationError } from './check-installation.ts'

const fileName = 'installation.json'
/** Version of the format of the file. */
const folderFormat = 1

/**
 * Reads the id of the installation from the data folder; null: the folder has none. Rejects with an `InstallationError` if
 * the file is damaged or has the format of a later version.
 */
export async function readFolderInstallation(dataDir: string): Promise<string | null> {
  const path = join(dataDir, fileName)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const stored = parse(text)
  if (stored !== null && 'format' in stored && stored.format !== folderFormat)
    throw new InstallationError(
      `${path} has format ${JSON.stringify(stored.format)}, this version reads ${folderFormat}: a later version wrote it. Nothing was changed.\n` +
        'What to do: start the later version.',
    )
  if (stored !== null && 'installationId' in stored && typeof stored.installationId === 'string')
    return stored.installationId
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
    await file.writeFile(`${JSON.stringify({ format: folderFormat, installationId: id }, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(fresh, join(dataDir, fileName))
}

function parse(text: string): object | null {
  try {
    const stored: unknown = JSON.parse(text)
    return typeof stored === 'object' ? stored : null
  } catch {
    return null
  }
}
