import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  prepareStoreInstallation,
  readStoreInstallation,
  writeStoreInstallation,
} from '../../clickhouse/projections/installation.ts'
import { untilAvailable } from '../../log/until-available.ts'
import type { LogInstallation } from '../../schema/installation.ts'
import { topics } from '../../schema/topics.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../context.ts'
import { prepareLog, prepareStore } from '../open-clients.ts'
import { findLogInstallation } from './find-log.ts'
import { rejectLaterFormat, rejectOlderProcesses } from './running-processes.ts'
import { readFolderInstallation, writeFolderInstallation } from './folder.ts'
import { withoutCredentials } from '../settings/setting.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import {
  InstallationError,
  checkInstallation,
  type InstallationState,
  type InstallationLocations,
  type InstallationVerdict,
} from './check-installation.ts'

/** Rights and callbacks of the process that prepares an installation. */
export interface PrepareOptions {
  /**
   * Starts the registrar, which assigns the id of an installation; null: this process has no registrar and waits for a
   * process that has one.
   */
  readonly startRegistrar: (() => void) | null
  /** Called while this process waits for an installation; null: it rejects instead of waiting. */
  readonly onWaiting: (() => void) | null
  /** Whether this process may create an installation; if not, it rejects if there is none. */
  readonly mayCreate: boolean
}

const pollMs = 500
/** A first start in another process writes log and store within this time. */
const settleMs = 2_000
const timeoutMs = 60_000

/**
 * Checks that log, store and data folder belong to one installation, before anything is written, then creates missing
 * topics and tables and, at the first start, the id. When it resolves, the records follow the log. Rejects with an
 * `InstallationError`.
 */
export async function prepareInstallation(
  context: ServiceContext,
  { startRegistrar, onWaiting, mayCreate }: PrepareOptions,
): Promise<void> {
  const locations = locationsOf(context.config)
  const { found, verdict } = startRegistrar
    ? await checkAll(context, locations)
    : await waitForInstallation(context, locations, onWaiting)
  if (verdict.kind === 'new' && !mayCreate) throw missingInstallation()
  if (found.log.state === 'known') await rejectOlderLog(context, found.log, locations)
  if (context.log.kind === 'kafka') await rejectOlderProcesses(context)
  if (found.store.state !== 'known') await prepareStoreInstallation(context.store)
  await prepareLog(context.log, context.config)
  await prepareStore(context.store, context.config, context.logger)
  await context.followed.start()
  rejectLaterFormat(context.records)
  startRegistrar?.()
  const id = verdict.kind === 'known' ? verdict.id : await createInstallation(context)
  if (found.store.state !== 'known') await writeStoreInstallation(context.store, id)
  if (found.folder === null) await writeFolderInstallation(context.config.TAKT_DATA_DIR, id)
}

interface CheckedState {
  readonly found: InstallationState
  readonly verdict: InstallationVerdict
}

async function checkAll(context: ServiceContext, locations: InstallationLocations): Promise<CheckedState> {
  const found = await findAll(context)
  return { found, verdict: checkInstallation(found, locations) }
}

function missingInstallation(): InstallationError {
  return new InstallationError('No installation exists yet. Start the service first.')
}

/** Resolves when another process has written the id to log and store. */
async function waitForInstallation(
  context: ServiceContext,
  locations: InstallationLocations,
  onWaiting: PrepareOptions['onWaiting'],
): Promise<CheckedState> {
  for (;;) {
    const checked = await checkAll(context, locations)
    if (checked.verdict.kind === 'known' && checked.found.store.state === 'known') return checked
    if (!onWaiting) throw missingInstallation()
    onWaiting()
    await sleep(pollMs)
  }
}

/** Reads the ids of log, store and data folder; writes nothing. */
async function findAll(context: ServiceContext): Promise<InstallationState> {
  const folder = await readFolderInstallation(context.config.TAKT_DATA_DIR)
  const log = await findLogInstallation(context)
  const store = await readStoreInstallation(context.store)
  if (log.state !== 'empty' || store.state !== 'known') return { log, store, folder }
  // Another process may have completed the first start between the two reads.
  await sleep(settleMs)
  return { log: await findLogInstallation(context), store, folder }
}

/**
 * Throws an `InstallationError` if the store has changes that the log lacks: a log that was restored from an older
 * backup would assign refs a second time.
 */
async function rejectOlderLog(
  { log }: ServiceContext,
  { projected, commandOffsetBase }: Extract<LogInstallation, { readonly state: 'known' }>,
  { log: location, store: storeLocation }: InstallationLocations,
) {
  const names = await log.topicNames()
  const [end = 0] = names.includes(topics.commands) ? await untilAvailable(() => log.endOffsets(topics.commands)) : []
  const next = end + commandOffsetBase
  if (!projected || (projected.isInLog && projected.commandOffset < next)) return
  throw new InstallationError(
    [
      `The store has changes that the log lacks (${projected.commandOffset}, the log ends before ${next}): ${location} is older than ${storeLocation}, or records of it were deleted. Nothing was changed.`,
      'What to do:',
      '- Restore log and store from one backup.',
      '- If no backup exists: delete the log; then `npm run adopt-log` creates a new log and restores all records from the store.',
    ].join('\n'),
  )
}

async function createInstallation({ commands, records }: ServiceContext): Promise<string> {
  resultOrThrow(await commands.submit('installation.found', {}, { companyId: null, timeoutMs }))
  const record = records.installation()
  if (!record) throw new Error('invariant: the records contain the installation that the registrar created')
  return record.installationId
}

/** Describes the locations of log, store and data folder by the settings. */
export function locationsOf(config: Config): InstallationLocations {
  const { TAKT_DATA_DIR: dataDir, KAFKA_BROKERS: brokers, CLICKHOUSE_URL: url, CLICKHOUSE_DATABASE: database } = config
  return {
    log: brokers.length > 0 ? `the log on Kafka (${brokers.join(',')})` : `the log in ${join(dataDir, 'log')}`,
    store:
      url === null
        ? `the store in ${join(dataDir, 'store')}`
        : `the store in ClickHouse (${withoutCredentials(url)}, database ${database})`,
    folder: `the data folder ${dataDir}`,
    isEmbedded: brokers.length === 0 && url === null,
  }
}
