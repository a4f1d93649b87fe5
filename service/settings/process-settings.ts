import { readList, readOneOf, readOptional, readUrl, setting, type Settings } from './setting.ts'
import { demoLanguages } from '../../demo/simulate/language.ts'

/** Part of the work of Takt that a process does. */
export type ProcessRole = 'ingest' | 'process' | 'api' | 'connect'

const processRoles: readonly ProcessRole[] = ['ingest', 'process', 'api', 'connect']

/** Roles that a process without servers needs. Without `connect`, it only runs no connectors. */
export const coreRoles: readonly ProcessRole[] = ['ingest', 'process', 'api']

function parseRoles(text: string): readonly ProcessRole[] {
  const names = readList(text)
  const known = processRoles.filter(role => names.includes(role))
  if (known.length === 0 || known.length !== new Set(names).size)
    throw new Error(`expected a list of ${processRoles.join(', ')}`)
  return known
}

function parseAdminKey(text: string): string | null {
  if (text !== '' && text.length < 32) throw new Error('expected at least 32 characters')
  return readOptional(text)
}

/** Settings of the process: address, roles, and the simulated plant. */
export const processSettings = {
  TAKT_PORT: setting('Port of the HTTP service; 0: any free one.').int(8080, 0, 65_535),
  TAKT_HOST: setting('Address to listen on.').text('127.0.0.1'),
  TAKT_URL: setting('Address of the service for `npm run replay`.').parsed('http://127.0.0.1:8080', readUrl),
  TAKT_ROLES: setting('Roles of this process. Several processes need a shared Kafka and ClickHouse.').parsed(
    'ingest,process,api,connect',
    parseRoles,
  ),
  TAKT_DATA_DIR: setting('Folder of the embedded log and store.').text('./data'),
  TAKT_ADMIN_KEY: setting(
    'API key with every scope for the first company, at least 32 characters; empty: the first start generates a key and prints it if standard output is a terminal.',
  ).parsed('', parseAdminKey),
  TAKT_TOKEN_SECRET_FILE: setting(
    'File with the secret that signs user tokens, at least 32 bytes, the same for every process; empty: Takt creates a secret and stores it in the log.',
  ).optional(),
  TAKT_DEMO: setting('1: a simulated plant sends samples. Empty: 1 if log and store are embedded, otherwise 0.').parsed(
    '',
    readOneOf('', '0', '1'),
  ),
  TAKT_DEMO_MACHINES: setting('Number of machines of the simulated plant.').int(24, 1, 10_000),
  TAKT_DEMO_SEED: setting('Seed of the simulated plant: the same seed gives the same samples.').int(1, 0, 0xffffffff),
  TAKT_DEMO_HOURS: setting('Hours of history that the simulated plant creates at the first start.').int(48, 0, 8760),
  TAKT_DEMO_LANGUAGE: setting('Language of the names in the simulated plant at its first start: en or de.').parsed(
    'en',
    readOneOf(...demoLanguages),
  ),
} satisfies Settings
