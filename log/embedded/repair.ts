import { ClassicLevel } from 'classic-level'
import { LogUnavailable } from '../log.ts'
import { newestEndsInJournals } from './journal.ts'
import { endsKey } from './keys.ts'

/**
 * Repairs a log with damaged files: LevelDB keeps the readable records and moves damaged files to `lost` in the
 * directory. The next opening reports the lost records. Rejects with `LogUnavailable` if another process has the log
 * open.
 */
export async function repairEmbeddedLog(path: string): Promise<void> {
  // Before LevelDB opens the journals, because it then deletes them.
  const ends = await newestEndsInJournals(path)
  await requireUnlocked(path)
  await ClassicLevel.repair(path)
  if (ends !== null) await storeEnds(path, ends)
}

/** LevelDB's repair does not take the lock. */
async function requireUnlocked(path: string): Promise<void> {
  const db = new ClassicLevel(path, { createIfMissing: false })
  try {
    await db.open()
  } catch (error) {
    const reason = error instanceof Error ? error.cause : undefined
    if (reason instanceof Error && 'code' in reason && reason.code === 'LEVEL_LOCKED')
      throw new LogUnavailable('The log is in use: stop the service first', { cause: error })
  } finally {
    await db.close()
  }
}

async function storeEnds(path: string, ends: Buffer): Promise<void> {
  const db = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  try {
    await db.put(endsKey, ends, { sync: true })
  } finally {
    await db.close()
  }
}
