import { minFreeBytes, readFreeBytes } from '../../clickhouse/client/free-space.ts'
import type { Problems } from '../../shared/problems.ts'

const code = 'disk_full'
/** Free space from which the problem ends: above the limit, so that it does not end and return again and again. */
const enoughBytes = 1.2 * minFreeBytes

/**
 * Reports the problem `disk_full` while the embedded store does not write, because the disk of its folder has too
 * little free space; clears it afterwards. Changes nothing if the free space cannot be read.
 */
export async function checkDiskSpace(folder: string, problems: Problems): Promise<void> {
  const freeBytes = await readFreeBytes(folder).catch(() => null)
  if (freeBytes === null) return
  if (freeBytes >= enoughBytes) return problems.clear(code)
  if (freeBytes >= minFreeBytes) return
  const message =
    `Less than ${minFreeBytes >> 20} MB are free on the disk of the embedded store, the folder "store" in TAKT_DATA_DIR: ` +
    'it stops inserts and merges, and accepted samples wait in the log. Free space, or enlarge the disk.'
  problems.report(code, { code, message })
}
