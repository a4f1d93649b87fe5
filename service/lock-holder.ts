import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Path of the file with the id of the process that has the embedded log open; a killed process leaves the file behind.
 */
const fileOf = (dataDir: string) => join(dataDir, 'process.pid')

/** Writes the id of this process to the data folder; returns a function that removes it. */
export async function writeLockHolder(dataDir: string): Promise<() => Promise<void>> {
  await writeFile(fileOf(dataDir), `${process.pid}\n`)
  return () => rm(fileOf(dataDir), { force: true })
}

/** Reads the id of the process that last opened the data folder; null: unknown. */
export async function readLockHolder(dataDir: string): Promise<number | null> {
  try {
    const pid = Number((await readFile(fileOf(dataDir), 'utf8')).trim())
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}
