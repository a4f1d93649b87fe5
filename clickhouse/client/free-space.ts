import { statfs } from 'node:fs/promises'

/** Space on the disk of the engine that its inserts and merges leave free, for the log and for merges in progress. */
export const minFreeBytes = 268_435_456

/** Returns whether the disk of a folder has the space that the engine leaves free. */
export async function hasMinFreeSpace(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize >= minFreeBytes
}
