import { statfs } from 'node:fs/promises'

/** Space on the disk of the engine that its inserts and merges leave free, for the log and for merges in progress. */
export const minFreeBytes = 268_435_456

/** Returns the free space of the disk of a folder, without what is reserved for root. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
