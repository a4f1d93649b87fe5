import { randomUUID } from 'node:crypto'
import { createDocumentStore } from '../../clickhouse/documents/documents.ts'
import { readHighestCommandOffset, readStoreInstallation } from '../../clickhouse/projections/installation.ts'
import { resetPosition } from '../../clickhouse/projections/records.ts'
import { readInstallationRecord } from '../../clickhouse/projections/stored-records.ts'
import { readHighestRefs, readNewestSeenMs, readStoredRecords } from '../../clickhouse/projections/restore.ts'
import { encodeEntry, EntryReader } from '../../processors/records/entry-codec.ts'
import { installationKey } from '../../processors/records/record-ids.ts'
import { readToEnd } from '../../log/read-to-end.ts'
import { untilAvailable } from '../../log/until-available.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { groups, topics } from '../../schema/topics.ts'
import { logFormat, restoreCommand, type RecordEntry } from '../../schema/commands/command-log.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { InstallationRecord } from '../../schema/records/installation.ts'
import type { ServiceContext } from '../context.ts'
import { prepareLog, prepareStore } from '../open-clients.ts'
import { locationsOf } from './prepare-installation.ts'
import { readFolderInstallation, writeFolderInstallation } from './folder.ts'
import { InstallationError, checkRecordFormat } from './check-installation.ts'

/** Result of adopting a log: the installation, its restored records and its newest sample. */
export interface Adoption {
  readonly installationId: string
  /** Number of restored records by kind. */
  readonly restored: Readonly<Record<string, number>>
  /** Time of the newest sample in the store, UTC ms; null: the store has no samples. */
  readonly newestSampleMs: number | null
}

const transactorId = 'takt-registrar'
/** Number of changes per log entry, which stays far below the size limit of a record. */
const changesPerEntry = 2_000
/** Number of refs that are skipped per kind, because the store may lack the refs that were assigned last. */
const skippedRefs = 1_000

/**
 * Makes an empty log the log of the store's installation: writes the store's records and the next refs to it. An
 * interrupted call is continued by the next one; until then the service rejects the log. Rejects with an
 * `InstallationError` if the log is not empty, the store has no id, or its records have an unsupported format. No
 * service may run at the same time.
 */
export async function adoptLog(context: ServiceContext): Promise<Adoption> {
  const { store, log, config, logger } = context
  const installationId = await adoptedId(context)
  await prepareLog(log, config)
  const written = await readRestored(context, installationId)
  if (written.isComplete) return writeFolderId(context, installationId, written.kinds)
  await prepareStore(store, config, logger)
  checkRecordFormat((await readInstallationRecord(store))?.format ?? null, locationsOf(config))
  const documents = createDocumentStore(store)
  const highest = await readHighestCommandOffset(store)
  // The next start reads the new log from its beginning.
  await resetPosition(store, highest + 1)
  const base = highest + 2
  const fence = (await documents.readHighestFence()) + 1
  const refs = await readHighestRefs(store)
  const restored = new Map<string, number>()
  let commandOffset = base
  const writer = await openWriter(context)
  try {
    for await (const page of readStoredRecords(store)) {
      for (let first = 0; first < page.length; first += changesPerEntry) {
        const changes = page.slice(first, first + changesPerEntry)
        for (const { kind } of changes) restored.set(kind, (restored.get(kind) ?? 0) + 1)
        await writer.write(entryOf(changes, commandOffset++, context.clock()))
      }
    }
    const partitions = await log.partitionCount(topics.stateSamples)
    await documents.writeRecordsOffsets(
      Array.from({ length: partitions }, (_, partition) => ({
        partition,
        recordsOffset: -1,
        version: BigInt(fence) << 40n,
      })),
    )
    const highestRefs = Object.fromEntries(Object.entries(refs).map(([kind, ref]) => [kind, ref + skippedRefs]))
    const now = new Date(context.clock()).toISOString()
    const record: InstallationRecord = {
      id: installationKey,
      installationId,
      format: logFormat,
      createdAt: now,
      adoptedAt: now,
      commandOffsetBase: commandOffset + 1,
      highestRefs: { ...highestRefs, fence: Math.max(fence, highestRefs['fence'] ?? 0) },
    }
    const change: Change = { kind: 'installation', id: installationKey, before: null, after: record }
    await writer.write(entryOf([change], commandOffset, context.clock()))
  } finally {
    await writer.close()
  }
  return writeFolderId(context, installationId, restored)
}

/** Writes the installation id to the data folder. This is the last step. */
async function writeFolderId(
  { store, config }: ServiceContext,
  installationId: string,
  restored: ReadonlyMap<string, number>,
): Promise<Adoption> {
  await writeFolderInstallation(config.TAKT_DATA_DIR, installationId)
  return { installationId, restored: Object.fromEntries(restored), newestSampleMs: await readNewestSeenMs(store) }
}

/** Returns the installation id of the store; rejects if the data folder has a different id. */
async function adoptedId({ store, config }: ServiceContext): Promise<string> {
  const locations = locationsOf(config)
  const found = await readStoreInstallation(store)
  if (found.state !== 'known')
    throw new InstallationError(`Cannot create a log: ${locations.store} belongs to no installation.`)
  const folder = await readFolderInstallation(config.TAKT_DATA_DIR)
  if (folder !== null && folder !== found.id)
    throw new InstallationError(
      `${locations.folder} belongs to installation ${folder}, but ${locations.store} to ${found.id}. Nothing was changed.`,
    )
  return found.id
}

/** The entries that an interrupted call wrote. */
interface Restored {
  /** Whether the entries include the last one. */
  readonly isComplete: boolean
  /** Number of restored records by kind. */
  readonly kinds: ReadonlyMap<string, number>
}

/**
 * Reads a log that is empty or holds only entries of an interrupted call. Rejects with an `InstallationError` for any
 * other log.
 */
async function readRestored({ log, config }: ServiceContext, installationId: string): Promise<Restored> {
  const reader = new EntryReader()
  const names = new Set<string>()
  const records = new Map<string, string>()
  let isComplete = false
  await readToEnd(log, {
    topic: topics.records,
    from: 'earliest',
    onBatch: batch => {
      for (const { value } of batch.records) {
        const entry = reader.read(value)
        if (!entry) continue
        names.add(entry.command.name)
        for (const change of entry.changes)
          if (change.kind !== 'installation') records.set(`${change.kind} ${change.id}`, change.kind)
          else if (change.after?.installationId === installationId) isComplete = true
          else names.add('installation.found')
      }
    },
  })
  if ([...names].every(name => name === restoreCommand)) {
    const kinds = new Map<string, number>()
    for (const kind of records.values()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    return { isComplete, kinds }
  }
  throw new InstallationError(
    `${locationsOf(config).log} is not empty. \`npm run adopt-log\` is for a log that was lost: nothing was changed.`,
  )
}

interface EntryWriter {
  write(entry: RecordEntry): Promise<void>
  close(): Promise<void>
}

/** Opens the writer of the registrar, which fences a running registrar. */
async function openWriter({ log }: ServiceContext): Promise<EntryWriter> {
  const transactor = await log.transactor(transactorId, { topics: [topics.records], group: groups.registrar })
  const [end = 0] = await untilAvailable(() => log.endOffsets(topics.commands))
  return {
    async write(entry) {
      const values = await runCooperatively(encodeEntry(entry))
      const records = values.map(value => ({ topic: topics.records, partition: 0, key: null, value }))
      await transactor.commit(records, { group: groups.registrar, topic: topics.commands, partition: 0, offset: end })
    },
    close: () => transactor.close(),
  }
}

function entryOf(changes: readonly Change[], commandOffset: number, nowMs: number): RecordEntry {
  const command = {
    id: randomUUID(),
    deadlineMs: nowMs,
    nowMs,
    companyId: null,
    actor: 'command line',
    by: { kind: 'service', name: 'npm run adopt-log' },
    name: restoreCommand,
  } as const
  return { command, commandOffset, outcome: { ok: true, result: null }, changes }
}
