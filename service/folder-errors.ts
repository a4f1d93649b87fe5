import { readLockHolder } from './lock-holder.ts'
import { causesOf, findErrorCode, StartError } from './start-error.ts'

/** Replaces an error of opening the embedded log by one that states the cause and what to do. */
export async function logFolderError(error: unknown, path: string, dataDir: string): Promise<unknown> {
  const cause = causesOf(error).at(-1) ?? String(error)
  const codes = codesOf(error)
  if (codes.includes('LEVEL_LOCKED')) {
    const processId = await readLockHolder(dataDir)
    return new StartError(
      `The data folder ${dataDir} is in use${processId === null ? '' : ` by process ${processId}`}. Only one process at a time can use it.\n` +
        'What to do: stop that process, or set another folder in TAKT_DATA_DIR.',
      { cause: error },
    )
  }
  if (codes.includes('newer_log'))
    return new StartError(
      `A later version wrote the log in ${path}: ${cause}. Nothing was changed.\n` +
        'What to do: start that version, or restore log and store from a backup of this version.',
      { cause: error },
    )
  const lacksFile = codes.includes('LEVEL_IO_ERROR') && /no such file/i.test(cause)
  if (codes.includes('LEVEL_CORRUPTION') || /corruption/i.test(cause) || lacksFile)
    return new StartError(
      `The log in ${path} is damaged: ${cause}. Nothing was changed.\n` +
        'What to do:\n' +
        '- Restore log and store from one backup.\n' +
        '- If no backup exists: `npm run log-damage -- --repair` keeps the records that can be read, and lists the lost records.\n' +
        `- If that fails: move ${path} away; then \`npm run adopt-log\` creates a new log. It restores all records from the store and lists the lost data.`,
      { cause: error },
    )
  return folderError(error, path) ?? error
}

/** Replaces an error of opening the embedded store by one that states the cause and what to do. */
export function storeFolderError(error: unknown, path: string): unknown {
  const cause = causesOf(error)[0] ?? String(error)
  if (/cannot lock|lock file|already (in use|running)|status file/i.test(cause))
    return new StartError(
      `The store in ${path} is in use by another process. Only one process at a time can use it.\n` +
        'What to do: stop that process, or set another folder in TAKT_DATA_DIR.',
      { cause: error },
    )
  return (
    folderError(error, path) ??
    new StartError(
      `The store in ${path} can't be opened; a file of it may be damaged: ${cause}\n` +
        'What to do: restore log and store from one backup. The message names the table or the file.',
      { cause: error },
    )
  )
}

/** Replaces an error of locking the buffers of connectors by one that states the cause and what to do. */
export function buffersFolderError(error: unknown, path: string): unknown {
  if (codesOf(error).includes('LEVEL_LOCKED'))
    return new StartError(
      `The buffers of connectors in ${path} are in use by another process. Only one process at a time can use them.\n` +
        'What to do: stop that process, or set another folder in TAKT_DATA_DIR for each process with the role connect.',
      { cause: error },
    )
  return folderError(error, path) ?? error
}

/** Returns a `StartError` for a system error of a folder; returns null if the error has another cause. */
export function folderError(error: unknown, path: string): StartError | null {
  const code = codesOf(error).find(each => each in folderProblems) ?? parseErrorCode(causesOf(error).join('; '))
  const fault = code === undefined ? undefined : folderProblems[code]
  if (fault === undefined) return null
  return new StartError(`${path} ${fault}.\nWhat to do: correct this, or set another folder in TAKT_DATA_DIR.`, {
    cause: error,
  })
}

const folderProblems: Readonly<Record<string, string>> = {
  EACCES: `can't be written: the user of this process lacks the permission (EACCES)`,
  EPERM: `can't be written: the user of this process lacks the permission (EPERM)`,
  EROFS: 'is on a file system that is read-only (EROFS)',
  ENOTDIR: 'or a parent of it is a file, not a folder (ENOTDIR)',
  EEXIST: 'is a file, not a folder (EEXIST)',
  ENOSPC: 'is on a disk that is full (ENOSPC)',
}

/** Returns the system error code that a message contains. */
function parseErrorCode(text: string): string | undefined {
  if (/permission denied/i.test(text)) return 'EACCES'
  if (/read-only file system/i.test(text)) return 'EROFS'
  if (/not a directory/i.test(text)) return 'ENOTDIR'
  return /no space left/i.test(text) ? 'ENOSPC' : undefined
}

function codesOf(error: unknown): readonly string[] {
  const codes: string[] = []
  for (let current = error, depth = 0; current instanceof Error && depth < 10; depth++) {
    const code = findErrorCode(current)
    if (code !== null) codes.push(code)
    current = current.cause
  }
  return codes
}
