import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { buffersFolderError } from './folder-errors.ts'

/**
 * Locks the folder of the buffers of connectors until the process ends or the returned function is called. Rejects with a
 * `StartError` if another process has the lock: both would append to the same files. LevelDB has a lock on every platform,
 * which ends with its process; it stores nothing here.
 */
export async function lockBuffers(folder: string): Promise<() => Promise<void>> {
  const lock = new ClassicLevel(join(folder, 'lock'))
  try {
    await lock.open()
  } catch (error) {
    throw buffersFolderError(error, folder)
  }
  return () => lock.close()
}
