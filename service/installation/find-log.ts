import { readStoreInstallation } from '../../clickhouse/projections/installation.ts'
import { createStoredRecords, readInstallationRecord } from '../../clickhouse/projections/stored-records.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { type Batch, type Log, OffsetOutOfRange } from '../../log/log.ts'
import { untilAvailable } from '../../log/until-available.ts'
import { commandIdOf, EntryReader } from '../../processors/records/entry-codec.ts'
import type { LogInstallation } from '../../schema/installation.ts'
import type { InstallationRecord } from '../../schema/records/installation.ts'
import { topics } from '../../schema/topics.ts'
import type { ServiceContext } from '../context.ts'
import { InstallationError } from './check-installation.ts'

/**
 * Finds the installation to which the log belongs; writes nothing. If the log contains the entry that the store has
 * projected last, both belong together, and the store has the record of the installation. Otherwise the log is read
 * from its beginning.
 */
export async function findLogInstallation({ log, store }: ServiceContext): Promise<LogInstallation> {
  if (!(await log.topicNames()).includes(topics.records)) return { state: 'empty' }
  const isKnown = (await readStoreInstallation(store)).state === 'known'
  const position = isKnown ? await createStoredRecords(store).readPosition() : null
  const entry = position && (await findEntry(log, position.offset, position.commandId))
  if (entry === 'same') await requireEntry(log, position?.outcomesFrom ?? 0)
  const projected = position && { commandOffset: position.commandOffset, isInLog: entry !== 'other' }
  const record = entry === 'same' ? await readInstallationRecord(store) : null
  const found = record ?? (await findInstallationRecord(log, store))
  if (typeof found === 'string') return { state: found }
  const { installationId: id, format, commandOffsetBase } = found
  return { state: 'known', id, format, commandOffsetBase, projected }
}

/**
 * Returns whether the log has the entry of a command at an offset. `lost`: it has later records, but none at this offset
 * (see `LogDamage`). `other`: it ends before, or has another entry.
 */
async function findEntry(log: Log, offset: number, commandId: string): Promise<'same' | 'lost' | 'other'> {
  const [end = 0] = await untilAvailable(() => log.endOffsets(topics.records))
  if (offset >= end) return 'other'
  let found: string | null = null
  await readRecords(log, offset, ({ records: [first] }) => {
    if (first?.offset === offset) found = commandIdOf(first.value)
    return true
  }).catch((error: unknown) => {
    throw error instanceof OffsetOutOfRange ? olderStore(error) : error
  })
  if (found === null) return 'lost'
  return found === commandId ? 'same' : 'other'
}

/** Rejects with an `InstallationError` if the log has deleted an entry that a start reads. */
async function requireEntry(log: Log, offset: number): Promise<void> {
  await readRecords(log, offset, () => true).catch((error: unknown) => {
    throw error instanceof OffsetOutOfRange ? olderStore(error) : error
  })
}

/** The log has deleted entries that the store lacks, after `TAKT_RECORDS_RETENTION_DAYS`. */
function olderStore(error: OffsetOutOfRange): InstallationError {
  return new InstallationError(
    [
      `The store is older than the entries that the log still has (${error.message}). Nothing was changed.`,
      'What to do:',
      '- Restore log and store from one backup.',
      '- If no backup exists: delete the log; then `npm run adopt-log` creates a new log and restores all records from the store. Changes of records since then are lost.',
    ].join('\n'),
  )
}

/**
 * Returns the record of the installation: of the first entry, or of the last one if the log was adopted; if the log has
 * deleted them, that of the store.
 */
async function findInstallationRecord(log: Log, store: Store): Promise<InstallationRecord | 'empty' | 'unmarked'> {
  const reader = new EntryReader()
  let found: InstallationRecord | 'empty' | 'unmarked' = 'empty'
  const reading = readRecords(log, 0, ({ records }) => {
    for (const { value } of records)
      for (const { kind, after } of reader.read(value)?.changes ?? []) {
        if (found === 'empty') found = 'unmarked'
        if (kind === 'installation' && after) found = after
      }
    return typeof found !== 'string'
  })
  try {
    await reading
  } catch (error) {
    if (!(error instanceof OffsetOutOfRange)) throw error
    return (await readInstallationRecord(store)) ?? 'unmarked'
  }
  return found
}

/** Reads batches of records.v1 from an offset, until `isDone` returns true or the log has no more. */
async function readRecords(log: Log, offset: number, isDone: (batch: Batch) => boolean): Promise<void> {
  let finish: () => void = () => undefined
  const done = new Promise<void>(resolve => (finish = resolve))
  const onBatch = (batch: Batch): void => {
    if (isDone(batch)) finish()
  }
  const follower = await log.follow({ topic: topics.records, from: [offset], onBatch })
  try {
    await Promise.race([done, follower.caughtUp])
  } finally {
    await follower.stop()
  }
}
