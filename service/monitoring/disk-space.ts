import { hasMinFreeSpace } from '../../clickhouse/client/free-space.ts'
import type { Problems } from '../../shared/problems.ts'

const code = 'disk_full'

/**
 * Reports the problem `disk_full` while the embedded store does not write, because the disk of this folder has too
 * little free space; clears it afterwards. Changes nothing if the free space cannot be read.
 */
export async function checkDiskSpace(folder: string, problems: Problems): Promise<void> {
  const hasSpace = await hasMinFreeSpace(folder).catch(() => null)
  if (hasSpace === null) return
  if (hasSpace) return problems.clear(code)
  const message =
    `Less than 256 MB are free on the disk of ${folder}: the embedded store stops inserts and merges, and accepted samples ` +
    'wait in the log. Free space, or enlarge the disk.'
  problems.report(code, { code, message })
}
