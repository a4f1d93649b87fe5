import { readText, readOptional, readUrl, readList, readInt, readOneOf, type Settings } from './setting.ts'

/** Part of the work of Takt that a process does. */
export type ProcessRole = 'ingest' | 'process' | 'api'

export const processRoles: readonly ProcessRole[] = ['ingest', 'process', 'api']

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
  TAKT_PORT: { default: '8080', meaning: 'Port of the HTTP service; 0: any free one.', parse: readInt(0, 65_535) },
  TAKT_HOST: { default: '127.0.0.1', meaning: 'Address to listen on.', parse: readText },
  TAKT_URL: {
    default: 'http://127.0.0.1:8080',
    meaning: 'Address of the service for `npm run replay`.',
    parse: readUrl,
  },
  TAKT_ROLES: {
    default: 'ingest,process,api',
    meaning: 'Roles of this process. Several processes need a shared Kafka and ClickHouse.',
    parse: parseRoles,
  },
  TAKT_DATA_DIR: { default: './data', meaning: 'Folder of the embedded log and store.', parse: readText },
  TAKT_ADMIN_KEY: {
    default: '',
    meaning:
      'API key with every scope for the first company, at least 32 characters; empty: the first start generates a key and prints it if standard output is a terminal.',
    parse: parseAdminKey,
  },
  TAKT_TOKEN_SECRET_FILE: {
    default: '',
    meaning:
      'File with the secret that signs user tokens, at least 32 bytes, the same for every process; empty: Takt creates a secret and stores it in the log.',
    parse: readOptional,
  },
  TAKT_DEMO: {
    default: '',
    meaning: '1: a simulated plant sends samples. Empty: 1 if log and store are embedded, otherwise 0.',
    parse: readOneOf('', '0', '1'),
  },
  TAKT_DEMO_MACHINES: {
    default: '24',
    meaning: 'Number of machines of the simulated plant.',
    parse: readInt(1, 10_000),
  },
  TAKT_DEMO_SEED: {
    default: '1',
    meaning: 'Seed of the simulated plant: the same seed gives the same samples.',
    parse: readInt(0, 0xffffffff),
  },
  TAKT_DEMO_HOURS: {
    default: '48',
    meaning: 'Hours of history that the simulated plant creates at the first start.',
    parse: readInt(0, 8760),
  },
} as const satisfies Settings
