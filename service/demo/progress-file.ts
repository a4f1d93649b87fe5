import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** How far the simulated plant is; instants are UTC ms. */
export interface DemoProgress {
  /** Every sample before it is sent. */
  readonly sentMs: number
  /** Everything that people told before it is told. */
  readonly actedMs: number
}

/** The progress that an earlier run left; null: none, or it can't be read. What is done again then changes nothing. */
export async function readProgress(path: string): Promise<DemoProgress | null> {
  try {
    const { sentMs, actedMs } = JSON.parse(await readFile(path, 'utf8')) as Partial<DemoProgress>
    return typeof sentMs === 'number' && typeof actedMs === 'number' ? { sentMs, actedMs } : null
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
