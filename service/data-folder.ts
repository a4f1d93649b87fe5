import { chmod, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderError } from './folder-errors.ts'
import { StartError } from './start-error.ts'

/** Rights of the group and of everybody else. */
const rightsOfOthers = 0o077

/** Files that this process makes from now on are for its own user alone: they hold what signs tokens, and a plant's data. */
export function keepFilesPrivate(): void {
  process.umask(rightsOfOthers)
}

/**
 * Makes the data folder, where there is none, sees that it can be written, and takes from others every right to it and to what is in
 * it. Rejects with a `StartError`.
 */
export async function openDataFolder(path: string): Promise<void> {
  const probe = join(path, `.probe-${process.pid}`)
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await writeFile(probe, '', { mode: 0o600 })
    await rm(probe, { force: true })
    await makePrivate(path)
  } catch (error) {
    throw folderError(error, path) ?? error
  }
}

/** A folder that others can't enter keeps all below it, so only one that they could is gone through. */
async function makePrivate(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const { mode, uid } = await lstat(path)
  if ((mode & rightsOfOthers) === 0) return
  const owner = process.getuid?.()
  if (owner !== undefined && owner !== 0 && uid !== owner)
    throw new StartError(
      `Other users can read the data folder ${path}, and it is not this user's to change.\nWhat to do: give it to this user (chown -R), or chmod -R go= ${path}.`,
    )
  for (const name of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (name.isSymbolicLink()) continue
    const below = join(name.parentPath, name.name)
    const found = await lstat(below).catch(() => null)
    if (found && (found.mode & rightsOfOthers) !== 0) await chmod(below, found.mode & 0o700)
  }
  // Last, so that a start that was cut short goes through it again.
  await chmod(path, mode & 0o700)
}
