import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Who has the embedded log open; a killed process leaves it behind. */
const fileOf = (dataDir: string) => join(dataDir, 'process.pid')

/** Notes that this process has the data folder to itself; answers what takes the note back. */
export async function noteLockHolder(dataDir: string): Promise<() => Promise<void>> {
  await writeFile(fileOf(dataDir), `${process.pid}\n`)
  return () => rm(fileOf(dataDir), { force: true })
}

/** The process that noted itself last; null: none did. */
export async function lockHolder(dataDir: string): Promise<number | null> {
  try {
    const pid = Number((await readFile(fileOf(dataDir), 'utf8')).trim())
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}
