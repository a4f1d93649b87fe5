import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'

/** Content of the data folder that a command requires; `store`: for commands that run without a log. */
export type RequiredFolder = 'installation' | 'installation or empty folder' | 'store'

/**
 * Throws a `StartError` if the data folder lacks what a command requires. Called before files are opened, so that a
 * mistyped folder stays unchanged.
 */
export function requireInstallation(config: Config, needed: RequiredFolder): void {
  const { TAKT_DATA_DIR: dataDir, KAFKA_BROKERS: brokers, CLICKHOUSE_URL: url } = config
  const [hasLog, hasStore] = [brokers.length === 0, url === null]
  if (!hasLog && !hasStore) return
  const traces = [
    'installation.json',
    ...(hasLog && needed !== 'store' ? ['log/CURRENT'] : []),
    ...(hasStore ? ['store/metadata'] : []),
  ]
  if (traces.some(trace => existsSync(join(dataDir, trace)))) return
  if (needed === 'installation or empty folder' && isEmptyFolder(dataDir)) return
  throw new StartError(
    `No installation found in ${resolve(dataDir)} (TAKT_DATA_DIR). Nothing was created.\n` +
      'What to do: set TAKT_DATA_DIR to the data folder of the service; or start the service once, which creates an installation.',
  )
}

function isEmptyFolder(path: string): boolean {
  return existsSync(path) && readdirSync(path).length === 0
}
