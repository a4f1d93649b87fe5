import { readFile } from 'node:fs/promises'
import { findErrorCode, StartError } from './start-error.ts'

/** Reads the file that a setting names. Rejects with a `StartError` that contains path and setting. */
export async function readNamedFile(path: string, variable: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new StartError(
      `The file ${path} of ${variable} can't be read (${findErrorCode(error) ?? String(error)}).\n` +
        `What to do: set ${variable} to a file that the user of this process can read.`,
      { cause: error },
    )
  }
}

/** Returns a password: the value of its setting, or the content of its file without the line end; '': none. */
export async function readSecret(value: string, path: string | null, variable: string): Promise<string> {
  if (path === null) return value
  return (await readNamedFile(path, variable)).toString('utf8').replace(/\r?\n$/, '')
}
