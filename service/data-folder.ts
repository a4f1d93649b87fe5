import { chmod, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderError } from './folder-errors.ts'
import { StartError } from './start-error.ts'

/** Permission bits of the group and of all other users. */
const otherUsersBits = 0o077

/** Restricts new files of this process to its own user, because they contain signing secrets and plant data. */
export function restrictNewFiles(): void {
  process.umask(otherUsersBits)
}

/**
 * Creates the data folder if missing, checks that it is writable, and removes all permissions of other users. Rejects
 * with a `StartError`.
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

/** Changes permissions only if other users can enter the folder, because otherwise its content is already protected. */
async function makePrivate(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const { mode, uid } = await lstat(path)
  if ((mode & otherUsersBits) === 0) return
  const owner = process.getuid?.()
  if (owner !== undefined && owner !== 0 && uid !== owner)
    throw new StartError(
      `Other users can read the data folder ${path}, and it belongs to a different user.\nWhat to do: change its owner (chown -R), or run chmod -R go= ${path}.`,
    )
  for (const name of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (name.isSymbolicLink()) continue
    const below = join(name.parentPath, name.name)
    const found = await lstat(below).catch(() => null)
    if (found && (found.mode & otherUsersBits) !== 0) await chmod(below, found.mode & 0o700)
  }
  // The folder itself is changed last, so that an interrupted start is repeated.
  await chmod(path, mode & 0o700)
}
