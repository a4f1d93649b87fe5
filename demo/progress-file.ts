import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Name of the file in the data folder. */
export const progressFile = 'demo.json'

/** Progress of the simulated plant; instants are UTC ms. */
export interface DemoProgress {
  /** All samples before this instant were sent. */
  readonly sentMs: number
  /** All actions of operators and the ERP before this instant were executed. */
  readonly actedMs: number
  /** Whether the connector of the plant was created: if it does not exist any more, a user has deleted it. */
  readonly hasConnector?: boolean
}

/**
 * Reads the progress of an earlier run; null if there is none, or it cannot be read. Repeating the work from the start
 * has no effect.
 */
export async function readProgress(path: string): Promise<DemoProgress | null> {
  try {
    const stored: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isProgress(stored) ? stored : null
  } catch {
    return null
  }
}

/** Replaces the file atomically, so that it is complete after a crash. */
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
