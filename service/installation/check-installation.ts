import type { LogInstallation, StoreInstallation } from '../../schema/installation.ts'
import { logFormat, oldestLogFormat } from '../../schema/commands/command-log.ts'

/**
 * Thrown if log, store and data folder do not belong to one installation, or to this version. The message states the
 * cause and what to do.
 */
export class InstallationError extends Error {
  override readonly name = 'InstallationError'
  readonly code = 'installation_mismatch'
  readonly retryable = false
}

/** Locations of log, store and data folder, as texts for messages. */
export interface InstallationLocations {
  /** For example `the log in ./data/log`. */
  readonly log: string
  readonly store: string
  readonly folder: string
  /** Whether log and store are in the data folder. */
  readonly isEmbedded: boolean
}

/** The installations of log, store and data folder. */
export interface InstallationState {
  readonly log: LogInstallation
  readonly store: StoreInstallation
  /** The installation id in the data folder; null: none. */
  readonly folder: string | null
}

/** `new`: there is no data yet. `known`: log and store belong together; after a crash the store may lack its id. */
export type InstallationVerdict = { readonly kind: 'new' } | { readonly kind: 'known'; readonly id: string }

/**
 * Pure: returns the installation to which log, store and data folder belong, or `new`. Throws an `InstallationError` if
 * they do not belong together.
 */
export function checkInstallation(
  { log, store, folder }: InstallationState,
  locations: InstallationLocations,
): InstallationVerdict {
  if (log.state === 'unmarked') throw new InstallationError(unmarked(locations.log, locations))
  if (store.state === 'unmarked') throw new InstallationError(unmarked(locations.store, locations))
  if (log.state === 'empty') return checkEmptyLog(store, folder, locations)
  if (!isReadable(log.format)) throw new InstallationError(otherFormat(locations.log, log.format))
  if (store.state === 'empty') throw new InstallationError(emptiedStore(log.id, locations))
  const storeId = store.state === 'known' ? store.id : log.id
  if (storeId !== log.id) throw new InstallationError(mismatch(log.id, storeId, folder, locations))
  if (folder !== null && folder !== log.id) throw new InstallationError(otherFolder(log.id, folder, locations))
  return { kind: 'known', id: log.id }
}

/**
 * Pure: throws an `InstallationError` if this version cannot read the format of the records in the store; null: unknown
 * format.
 */
export function checkRecordFormat(format: number | null, { store }: InstallationLocations): void {
  if (format !== null && !isReadable(format)) throw new InstallationError(otherFormat(store, format))
}

function checkEmptyLog(
  store: StoreInstallation,
  folder: string | null,
  locations: InstallationLocations,
): InstallationVerdict {
  if (store.state === 'known') throw new InstallationError(emptiedLog(store.id, locations))
  if (folder !== null) throw new InstallationError(bothEmptied(folder, locations))
  return { kind: 'new' }
}

function emptiedLog(id: string, { log, store }: InstallationLocations): string {
  return lines(
    `${capital(log)} is empty, but ${store} holds the data of installation ${id}.`,
    'With an empty log, new machines would get the numbers of old ones, and with them their history. Nothing was changed.',
    'What to do:',
    '- Restore the log from the backup that belongs to the store; or correct the settings if they refer to another log.',
    '- If the log is lost permanently: `npm run adopt-log` creates a new log. It restores all records from the store and lists the lost data.',
  )
}

function emptiedStore(id: string, { log, store }: InstallationLocations): string {
  return lines(
    `${capital(store)} is empty, but ${log} belongs to installation ${id}, which has stored data before. Nothing was changed.`,
    'What to do:',
    '- Restore the store from the backup that belongs to the log; or correct the settings if they refer to another store.',
    '- If the store is lost permanently, its history cannot be recomputed: start with an empty log and an empty data folder.',
  )
}

function bothEmptied(id: string, { log, store, folder }: InstallationLocations): string {
  return lines(
    `${capital(folder)} belongs to installation ${id}, but ${log} and ${store} are empty. Nothing was changed.`,
    'What to do:',
    '- Restore log and store from one backup; or correct the settings if they refer to another log or store.',
    '- To start without data: delete installation.json in the data folder.',
  )
}

function mismatch(
  logId: string,
  storeId: string,
  folder: string | null,
  { log, store }: InstallationLocations,
): string {
  const whose =
    folder === logId
      ? `The data folder belongs to ${logId}, so the store belongs to another installation.`
      : folder === storeId
        ? `The data folder belongs to ${storeId}, so the log belongs to another installation.`
        : 'One of them belongs to another installation.'
  return lines(
    `${capital(log)} belongs to installation ${logId}, but ${store} to ${storeId}. ${whose} Nothing was changed.`,
    'What to do: set a log and a store that belong together, or restore both from one backup.',
  )
}

function otherFolder(id: string, folderId: string, { log, store, folder }: InstallationLocations): string {
  return lines(
    `${capital(folder)} belongs to installation ${folderId}, but ${log} and ${store} to ${id}. Nothing was changed.`,
    'What to do: set the log and the store of that installation, or another folder in TAKT_DATA_DIR.',
  )
}

function unmarked(location: string, { isEmbedded }: InstallationLocations): string {
  return lines(
    `${capital(location)} holds data, but not the id of an installation: it was written by an older version, by another program, or ` +
      '`npm run adopt-log` was interrupted. Nothing was changed.',
    'What to do:',
    '- If `npm run adopt-log` was interrupted: run it again.',
    '- Only the older version can read its data. To use this version, start with ' +
      (isEmbedded
        ? 'an empty folder in TAKT_DATA_DIR.'
        : 'new topics in Kafka and a new CLICKHOUSE_DATABASE, or delete the old ones.'),
  )
}

/** Returns whether this version can read and continue a log of this format. */
export function isReadable(format: number): boolean {
  return format >= oldestLogFormat && format <= logFormat
}

function otherFormat(location: string, format: number): string {
  const by = format < logFormat ? 'an older' : 'a newer'
  const readable = oldestLogFormat < logFormat ? `${oldestLogFormat} to ${logFormat}` : String(logFormat)
  return lines(
    `${capital(location)} was written by ${by} version: its records have format ${format}, this version reads ${readable}. Nothing was changed.`,
    `What to do: start the ${by === 'an older' ? 'older' : 'newer'} version, or start with an empty log, store and data folder.`,
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function lines(...texts: readonly string[]): string {
  return texts.join('\n')
}
