import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Name of the file in the data folder. */
export const progressFile = 'demo.json'

/** How far the simulated plant is; instants are UTC ms. */
export interface DemoProgress {
  /** Every sample before it is sent. */
  readonly sentMs: number
  /** All actions of operators before this instant were sent. */
  readonly actedMs: number
}

/** The progress that an earlier run left; null: none, or it can't be read. What is done again then changes nothing. */
export async function readProgress(path: string): Promise<DemoProgress | null> {
  try {
    const stored: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isProgress(stored) ? stored : null
  } catch {
    return null
  }
}

/** Replaces the file as a whole, so that a crash leaves the old one or the new one. */
export async function writeProgress(path: string, progress: DemoProgress): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const fresh = `${path}.new`
  await writeFile(fresh, JSON.stringify(progress))
  await rename(fresh, path)
}

function isProgress(value: unknown): value is DemoProgress {
  if (typeof value !== 'object' || value === null || !('sentMs' in value) || !('actedMs' in value)) return false
  return Number.isFinite(value.sentMs) && Number.isFinite(value.actedMs)
}
