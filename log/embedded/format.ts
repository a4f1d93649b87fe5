import { formatKey } from './keys.ts'
import type { LevelDbStore } from './store.ts'

/** Version of the format of the embedded log's keys and values that this version reads and writes. */
const format = 1

/** The log has a format that this version cannot read: a later version wrote it, or the stored format is damaged. */
export class NewerLog extends Error {
  override readonly name = 'NewerLog'
  readonly code = 'newer_log'
  readonly retryable = false
}

/** Rejects with `NewerLog` before anything is written, if this version cannot read the log. Writes the version to a new log. */
export async function checkFormat(store: LevelDbStore): Promise<void> {
  const stored = await store.get(formatKey)
  if (stored === undefined) return store.write([{ key: formatKey, value: Buffer.from(String(format)) }], [], true)
  const found = stored.toString()
  if (found !== String(format)) throw new NewerLog(`The embedded log has format ${found}, this version reads ${format}`)
}
