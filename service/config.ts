import type { DemoSettings } from '../demo/demo.ts'
import { isIP } from 'node:net'
import { type Role, roles as userRoles } from '../schema/roles.ts'

/** The environment, read once: every setting with its default and meaning. `docs/configuration.md` lists the same. */

export type ProcessRole = 'ingest' | 'process' | 'api'
const roles: readonly ProcessRole[] = ['ingest', 'process', 'api']

/** Beyond this the store's dates overflow. */
const mostRetentionDays = 20_000

interface Setting<T> {
  readonly default: string
  readonly meaning: string
  /** Throws an Error whose message says what is expected. */
  readonly parse: (text: string) => T
}

const text = (text: string) => text
const optional = (text: string) => (text === '' ? null : text)
const list = (text: string): readonly string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

function int(min: number, max: number): (text: string) => number {
  return text => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new Error(`expected a whole number from ${min} to ${max}`)
    return value
  }
}

/** 0 stands for none. */
function zeroOrInt(min: number, max: number): (text: string) => number {
  return text => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value !== 0 && !(value >= min && value <= max))
      throw new Error(`expected 0 or a whole number from ${min} to ${max}`)
    return value
  }
}

const optionalInt = (min: number, max: number) => (text: string) => (text === '' ? null : int(min, max)(text))

function oneOf<const T extends string>(...allowed: readonly T[]): (text: string) => T {
  return text => {
    const found = allowed.find(value => value === text)
    if (found === undefined) throw new Error(`expected one of ${allowed.join(', ')}`)
    return found
  }
}

function parseRoles(text: string): readonly ProcessRole[] {
  const names = list(text)
  const known = roles.filter(role => names.includes(role))
  if (known.length === 0 || known.length !== new Set(names).size)
    throw new Error(`expected a list of ${roles.join(', ')}`)
  return known
}

function proxies(text: string): readonly string[] {
  const given = list(text)
  if (given.every(isProxy)) return given
  throw new Error('expected a list of addresses, subnets such as 10.0.0.0/8, loopback, linklocal or uniquelocal')
}

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits = '0', ...rest] = text.split('/')
  const mostBits = isIP(address) === 4 ? 32 : 128
  return isIP(address) > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= mostBits && rest.length === 0
}

function issuer(text: string): string | null {
  if (text === '') return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url?.protocol === 'https:' || isHere) return text
  throw new Error('expected an address that begins with https://')
}

/** `value=role` pairs; a value may hold the sign itself, as names of groups in a directory do. */
function rolesOfClaim(text: string): ReadonlyMap<string, Role> {
  const pairs = list(text).map((pair): [string, Role] => {
    const at = pair.lastIndexOf('=')
    const role = userRoles.find(known => known === pair.slice(at + 1).trim())
    if (at < 1 || !role) throw new Error(`expected value=role pairs, the roles being ${userRoles.join(', ')}`)
    return [pair.slice(0, at).trim(), role]
  })
  return new Map(pairs)
}

function parseAdminKey(text: string): string | null {
  if (text !== '' && text.length < 32) throw new Error('expected at least 32 characters')
  return optional(text)
}

export const settings = {
  TAKT_PORT: { default: '8080', meaning: 'Port of the HTTP service; 0: any free one.', parse: int(0, 65_535) },
  TAKT_HOST: { default: '127.0.0.1', meaning: 'Address to listen on.', parse: text },
  TAKT_URL: {
    default: 'http://127.0.0.1:8080',
    meaning: 'Where `npm run replay` finds the service.',
    parse: text,
  },
  TAKT_ROLES: {
    default: 'ingest,process,api',
    meaning: 'What this process does. Several processes need a shared Kafka and ClickHouse.',
    parse: parseRoles,
  },
  TAKT_DATA_DIR: { default: './data', meaning: 'Where the embedded log and store keep their files.', parse: text },
  TAKT_ADMIN_KEY: {
    default: '',
    meaning:
      'A key with every scope for the first company, 32 characters or more; empty: one is made and printed at first start.',
    parse: parseAdminKey,
  },
  TAKT_TOKEN_SECRET_FILE: {
    default: '',
    meaning:
      'File with the secret that user tokens are signed with, 32 bytes or more, the same for every process; empty: one is made and kept in the log.',
    parse: optional,
  },
  TAKT_DEMO: {
    default: '',
    meaning: '1: a simulated plant sends samples. Empty: 1 on the embedded default, else 0.',
    parse: oneOf('', '0', '1'),
  },
  TAKT_DEMO_MACHINES: { default: '24', meaning: 'Machines of the simulated plant.', parse: int(1, 10_000) },
  TAKT_DEMO_SEED: {
    default: '1',
    meaning: 'Seed of the simulated plant: the same seed gives the same samples.',
    parse: int(0, 0xffffffff),
  },
  TAKT_DEMO_HOURS: {
    default: '48',
    meaning: 'Hours of history that the simulated plant fills at first start.',
    parse: int(0, 8760),
  },
  CLICKHOUSE_URL: {
    default: '',
    meaning: 'ClickHouse server (http://host:8123); empty: the embedded engine.',
    parse: optional,
  },
  CLICKHOUSE_USER: { default: 'default', meaning: 'User at the server.', parse: text },
  CLICKHOUSE_PASSWORD: { default: '', meaning: 'Password at the server.', parse: text },
  CLICKHOUSE_PASSWORD_FILE: { default: '', meaning: 'File that holds the password, in its place.', parse: optional },
  CLICKHOUSE_TLS_CA_FILE: {
    default: '',
    meaning: 'PEM file of the authorities that the server (https://) is checked by; empty: those that Node knows.',
    parse: optional,
  },
  CLICKHOUSE_TLS_CERT_FILE: {
    default: '',
    meaning: 'PEM file of a client certificate, where the server asks for one.',
    parse: optional,
  },
  CLICKHOUSE_TLS_KEY_FILE: { default: '', meaning: 'PEM file of its private key.', parse: optional },
  CLICKHOUSE_DATABASE: { default: 'takt', meaning: 'Database; made when missing.', parse: text },
  KAFKA_BROKERS: {
    default: '',
    meaning: 'Kafka brokers, host:port separated by commas; empty: the embedded log.',
    parse: list,
  },
  KAFKA_TLS: {
    default: '0',
    meaning: '1: connections to the brokers are encrypted.',
    parse: oneOf('0', '1'),
  },
  KAFKA_TLS_CA_FILE: {
    default: '',
    meaning: 'PEM file of the authorities that the brokers are checked by; empty: those that Node knows.',
    parse: optional,
  },
  KAFKA_TLS_CERT_FILE: {
    default: '',
    meaning: 'PEM file of a client certificate, where the brokers ask for one.',
    parse: optional,
  },
  KAFKA_TLS_KEY_FILE: { default: '', meaning: 'PEM file of its private key.', parse: optional },
  KAFKA_SASL_MECHANISM: {
    default: '',
    meaning: 'How to sign in at the brokers: plain, scram-sha-256 or scram-sha-512, in any letter case; empty: not.',
    parse: text => oneOf('', 'plain', 'scram-sha-256', 'scram-sha-512')(text.toLowerCase()),
  },
  KAFKA_SASL_USERNAME: { default: '', meaning: 'User at the brokers.', parse: text },
  KAFKA_SASL_PASSWORD: { default: '', meaning: 'Password at the brokers.', parse: text },
  KAFKA_SASL_PASSWORD_FILE: { default: '', meaning: 'File that holds the password, in its place.', parse: optional },
  TAKT_PARTITIONS: {
    default: '4',
    meaning: 'Partitions of new topics of samples and state samples.',
    parse: int(1, 1024),
  },
  TAKT_SAMPLES_RETENTION_HOURS: {
    default: '168',
    meaning: 'How long the log keeps samples and state samples.',
    parse: int(1, 87_600),
  },
  TAKT_DEAD_LETTERS_MAX_BYTES: {
    default: '10737418240',
    meaning: 'Bytes of dead letters that the log keeps, about; the oldest go first.',
    parse: int(1_048_576, 1_099_511_627_776),
  },
  TAKT_RAW_SAMPLES_DAYS: {
    default: '180',
    meaning: 'How long the store keeps samples that decide no state; those that do are kept as long as the reports.',
    parse: int(1, mostRetentionDays),
  },
  TAKT_BODY_LIMIT: {
    default: '33554432',
    meaning: 'Largest body of samples in bytes, after decompression.',
    parse: int(1024, 1_073_741_824),
  },
  TAKT_BODY_MAX_SAMPLES: {
    default: '500000',
    meaning: 'Samples that one body may hold.',
    parse: int(1, 10_000_000),
  },
  TAKT_RECORD_LIMIT: {
    default: '10485760',
    meaning: 'Largest record of `samples.v1` in bytes; a larger one is a dead letter.',
    parse: int(1024, 1_073_741_824),
  },
  TAKT_RECORD_MAX_SAMPLES: {
    default: '150000',
    meaning: 'Samples that one record of `samples.v1` may hold; one with more is a dead letter.',
    parse: int(1, 10_000_000),
  },
  TAKT_JSON_LIMIT: {
    default: '4194304',
    meaning: 'Largest body of other routes in bytes, after decompression.',
    parse: int(1024, 67_108_864),
  },
  TAKT_BODIES_LIMIT: {
    default: '134217728',
    meaning:
      'Bytes of all bodies under way in a process at a time, after decompression: each company has its share; beyond it 429 or 503.',
    parse: int(1_048_576, 17_179_869_184),
  },
  TAKT_PUBLIC_BODY_LIMIT: {
    default: '16384',
    meaning: 'Largest body in bytes that is taken without a key, as to sign in.',
    parse: int(1024, 1_048_576),
  },
  TAKT_JSON_MAX_DEPTH: {
    default: '32',
    meaning: 'How deep arrays and objects of JSON may be nested.',
    parse: int(8, 500),
  },
  TAKT_JSON_MAX_ELEMENTS: {
    default: '100000',
    meaning: 'Elements that an array of JSON may have, where it is no array of samples.',
    parse: int(100, 10_000_000),
  },
  TAKT_JSON_MAX_KEYS: {
    default: '1000',
    meaning: 'Keys that an object of JSON may have.',
    parse: int(100, 1_000_000),
  },
  TAKT_JSON_MAX_VALUES: {
    default: '250000',
    meaning: 'Values of all kinds that JSON may hold, where it holds no samples.',
    parse: int(1000, 100_000_000),
  },
  TAKT_JSON_MAX_TEXT: {
    default: '131072',
    meaning: 'Longest text of JSON in bytes, as it is written.',
    parse: int(1024, 67_108_864),
  },
  TAKT_JSON_MAX_KEY: {
    default: '1024',
    meaning: 'Longest key of JSON in bytes, as it is written.',
    parse: int(100, 1_048_576),
  },
  TAKT_HEADER_LIMIT: {
    default: '16384',
    meaning: "Bytes of a request's first line and headers; more are answered 431.",
    parse: int(2048, 1_048_576),
  },
  TAKT_MAX_HEADERS: {
    default: '100',
    meaning: 'Headers that a request may have; more are answered 431.',
    parse: int(20, 10_000),
  },
  TAKT_QUERY_MAX_PARAMETERS: {
    default: '100',
    meaning: 'Parameters that a query may have; more are answered 400.',
    parse: int(10, 10_000),
  },
  TAKT_IMPORT_LIMIT: {
    default: '67108864',
    meaning: 'Largest file of jobs to import, in bytes.',
    parse: int(1024, 1_073_741_824),
  },
  TAKT_IMPORT_MAPPINGS: {
    default: '',
    meaning:
      'Folder with `vendorVisual.json` and `vendorLN.json`, where their columns are others than usual; see job-import.md.',
    parse: optional,
  },
  TAKT_RATE_LIMIT: {
    default: '6000',
    meaning: 'Requests a minute and key; 0: no limit.',
    parse: int(0, 1_000_000_000),
  },
  TAKT_CHANGE_TIMEOUT_MS: {
    default: '15000',
    meaning: 'How long a change of records may wait to be confirmed; then it is answered 503, and may yet be made.',
    parse: int(100, 600_000),
  },
  TAKT_CSV_LIFETIME_HOURS: {
    default: '24',
    meaning: 'How long the files of reports can be fetched.',
    parse: int(1, 8760),
  },
  TAKT_EXPORTS_MAX_BYTES: {
    default: '20000000000',
    meaning: 'What the files of reports may take of the disk, each company its share; then more are answered 503.',
    parse: int(0, 1e15),
  },
  TAKT_REPORT_CONCURRENCY: {
    default: '32',
    meaning: 'Reports of one company under way at once; more are answered 429.',
    parse: int(1, 10_000),
  },
  TAKT_QUERY_MAX_SECONDS: {
    default: '30',
    meaning: 'How long the store may work on one query of a report.',
    parse: int(1, 3600),
  },
  TAKT_QUERY_MAX_MEMORY: {
    default: '4000000000',
    meaning: 'Memory in bytes that the store may take for one query of a report.',
    parse: int(1_000_000, 1e15),
  },
  TAKT_QUERY_MAX_ROWS_READ: {
    default: '2000000000',
    meaning: 'Rows that one query of a report may read.',
    parse: int(1, 1e15),
  },
  TAKT_QUERY_MAX_ROWS: {
    default: '5000000',
    meaning: 'Rows that one query of a report may answer.',
    parse: int(1, 1e12),
  },
  TAKT_GRAPHQL_RATE_LIMIT: {
    default: '1000',
    meaning: 'GraphQL requests a minute and company; 0: no limit.',
    parse: int(0, 1_000_000_000),
  },
  TAKT_GRAPHQL_MAX_SECONDS: {
    default: '10',
    meaning: 'How long a GraphQL request may take.',
    parse: int(1, 3600),
  },
  TAKT_GRAPHQL_MAX_DEPTH: {
    default: '10',
    meaning: 'How deep the selections of a GraphQL request may be nested.',
    parse: int(1, 100),
  },
  TAKT_GRAPHQL_MAX_LISTS: {
    default: '50',
    meaning: 'Lists, aggregates and functions that a GraphQL request may ask for.',
    parse: int(1, 10_000),
  },
  TAKT_GRAPHQL_MAX_FIELDS: {
    default: '2000',
    meaning: 'Fields that a GraphQL request may ask for, those of fragments counted wherever they are spread.',
    parse: int(1, 1_000_000),
  },
  TAKT_GRAPHQL_MAX_ROWS: {
    default: '100000',
    meaning: 'Rows that all lists of a GraphQL request may have together.',
    parse: int(1, 10_000_000),
  },
  TAKT_GRAPHQL_MAX_CHARS: {
    default: '67108864',
    meaning: 'Characters that the texts and names of a GraphQL answer may have together.',
    parse: int(1024, 1e9),
  },
  TAKT_GRAPHQL_ANSWERS_BYTES: {
    default: '1073741824',
    meaning:
      'Memory that all GraphQL answers under way over HTTP may take, in bytes, each company its share; a request for which there is none is refused.',
    parse: int(1024, 1e12),
  },
  TAKT_GRAPHQL_SUBSCRIPTIONS: {
    default: '20000',
    meaning:
      'Operations over WebSockets at `/graphql` that are under way at once, subscriptions above all, each company its share; more are refused.',
    parse: int(1, 10_000_000),
  },
  TAKT_GRAPHQL_OPERATIONS_BYTES: {
    default: '536870912',
    meaning:
      'Memory that operations over WebSockets at `/graphql` take while they are under way, without their results, in bytes, each company its share; more are refused.',
    parse: int(1024, 1e12),
  },
  TAKT_GRAPHQL_SUBSCRIPTIONS_PER_CONNECTION: {
    default: '100',
    meaning: 'Operations that one WebSocket at `/graphql` may have under way at once.',
    parse: int(1, 10_000),
  },
  TAKT_GRAPHQL_SUBSCRIPTION_LOAD: {
    default: '30',
    meaning:
      'Share of one processor, in percent, that operations over WebSockets at `/graphql` may take; beyond it results come less often.',
    parse: int(1, 1_000),
  },
  TAKT_GRAPHQL_SUBSCRIPTION_ROWS: {
    default: '10000',
    meaning: 'Rows that all lists of an operation over a WebSocket at `/graphql` may have together.',
    parse: int(1, 10_000_000),
  },
  TAKT_GRAPHQL_SUBSCRIPTION_BYTES: {
    default: '4194304',
    meaning: 'Largest result of a subscription, in bytes; twice as much may wait for one connection.',
    parse: int(1024, 1e9),
  },
  TAKT_GRAPHQL_RESULTS_BYTES: {
    default: '268435456',
    meaning:
      'Latest results that are kept for those who subscribe to the same later, in bytes, each company its share; without room they are made again.',
    parse: int(0, 1e12),
  },
  TAKT_GRAPHQL_MESSAGE_LIMIT: {
    default: '262144',
    meaning: 'Largest message that a client may send over a WebSocket at `/graphql`, in bytes.',
    parse: int(1024, 10_000_000),
  },
  TAKT_MACHINE_KEYS: {
    default: '5000',
    meaning:
      'Keys of one machine, each counted for every type and subtype; a fifth as many more that decide state. Further ones become dead letters.',
    parse: int(10, 5_000),
  },
  TAKT_MACHINE_KEY_CHARS: {
    default: '1000000',
    meaning: 'Length of those names together, of one machine.',
    parse: int(1_000, 10_000_000),
  },
  TAKT_MACHINE_CONDITIONS: {
    default: '2000',
    meaning: 'Conditions of one machine that are raised at once; further ones become dead letters.',
    parse: int(10, 100_000),
  },
  TAKT_EVENT_LOOP_HOLD_MS: {
    default: '50',
    meaning: 'How long something may hold the event loop before it is counted in `GET /metrics` and logged.',
    parse: int(1, 60_000),
  },
  TAKT_HTTP_HEADERS_SECONDS: {
    default: '15',
    meaning: 'How long the headers of a request may take to come; then the connection is closed with 408.',
    parse: int(1, 3600),
  },
  TAKT_HTTP_REQUEST_SECONDS: {
    default: '300',
    meaning: 'How long a whole request may take to come, its body included; then the connection is closed with 408.',
    parse: int(1, 86_400),
  },
  TAKT_HTTP_IDLE_SECONDS: {
    default: '5',
    meaning: 'How long a connection may wait for its next request.',
    parse: int(1, 3600),
  },
  TAKT_HTTP_CONNECTIONS: {
    default: '25000',
    meaning: 'Connections to `TAKT_PORT` at once, live ones included; more are closed at once.',
    parse: int(10, 1_000_000),
  },
  TAKT_READY_LAG_SECONDS: {
    default: '120',
    meaning:
      'Lag of live hours beyond which `GET /health/ready` is 503, at least 10 s as samples wait up to 5 s while little comes; 0: none.',
    parse: zeroOrInt(10, 1_000_000),
  },
  TAKT_SESSION_IDLE_MINUTES: {
    default: '720',
    meaning: 'How long a session that is not used lasts.',
    parse: int(1, 525_600),
  },
  TAKT_SESSION_DAYS: {
    default: '7',
    meaning: 'How long a session lasts at most.',
    parse: int(1, 365),
  },
  TAKT_TRUSTED_PROXIES: {
    default: 'loopback',
    meaning:
      'Proxies whose X-Forwarded-For tells the address that attempts are counted by: addresses or subnets, separated by commas.',
    parse: proxies,
  },
  TAKT_CORS_ORIGINS: {
    default: '*',
    meaning: 'Origins that browsers may call from, separated by commas.',
    parse: list,
  },
  TAKT_LIVE_ENGINE: {
    default: 'auto',
    meaning: 'What carries the live channels: uws, ws, or auto: the fastest that is installed.',
    parse: oneOf('auto', 'uws', 'ws'),
  },
  TAKT_LIVE_PORT: {
    default: '',
    meaning: 'Port where clients reach the uws engine directly, 0: any free one; empty: through TAKT_PORT alone.',
    parse: optionalInt(0, 65_535),
  },
  TAKT_LIVE_CONNECTIONS: {
    default: '20000',
    meaning: 'Live connections that this process takes, each company its share; more are turned down.',
    parse: int(1, 1_000_000),
  },
  TAKT_LIVE_UNJOINED_PER_ADDRESS: {
    default: '250',
    meaning: 'Live connections of one address that have not joined; all of them may take a quarter of all connections.',
    parse: int(1, 1_000_000),
  },
  TAKT_LIVE_JOIN_SECONDS: {
    default: '30',
    meaning: 'How long a live connection may go without joining a channel before it is closed.',
    parse: int(1, 86_400),
  },
  TAKT_LIVE_WAITING_BYTES: {
    default: '33554432',
    meaning: 'What live commands that wait to be done may take together, in bytes of their messages.',
    parse: int(1_048_576, 1e10),
  },
  TAKT_LIVE_VALUES_BYTES: {
    default: '1073741824',
    meaning:
      'About what the latest values of all machines may take in memory, each company its share. Beyond it new metrics are not shown live, and long values are cut.',
    parse: int(1_048_576, 1e12),
  },
  TAKT_LIVE_TIMELINES: {
    default: '10000',
    meaning: 'Timeline requests that go on live in this process, each company its share; more are turned down.',
    parse: int(1, 10_000_000),
  },
  TAKT_LIVE_BUFFER_BYTES: {
    default: '2097152',
    meaning: 'What may wait for one live connection, in bytes; a reader slower than that is closed.',
    parse: int(65_536, 1e9),
  },
  TAKT_LIVE_BLOCKED_SECONDS: {
    default: '30',
    meaning: 'How long a live connection may take nothing before it is closed.',
    parse: int(1, 3600),
  },
  TAKT_LIVE_COMMANDS_PER_SECOND: {
    default: '20',
    meaning: 'Commands that a live connection may send a second; five times as many at once. Each 16 KiB count as one.',
    parse: int(1, 100_000),
  },
  TAKT_TIMELINE_MAX_DAYS: {
    default: '31',
    meaning: 'Longest range of one timeline request.',
    parse: int(1, 3660),
  },
  TAKT_TIMELINE_MAX_SAMPLES: {
    default: '50000',
    meaning: 'Samples of one timeline answer; a request for more is refused.',
    parse: int(1, 10_000_000),
  },
  TAKT_OAUTH_JWKS_URL: {
    default: '',
    meaning:
      'Where the public keys of an OAuth provider are, whose access tokens are then taken wherever a key is; empty: none.',
    parse: optional,
  },
  TAKT_OAUTH_ISSUER: { default: '', meaning: 'Issuer of those tokens.', parse: text },
  TAKT_OAUTH_AUDIENCE: { default: '', meaning: 'Audience of those tokens.', parse: text },
  TAKT_OAUTH_COMPANY_CLAIM: {
    default: 'company',
    meaning: 'Claim of those tokens that holds the id of the company.',
    parse: text,
  },
  TAKT_OAUTH_SCOPES_CLAIM: {
    default: 'scope',
    meaning: 'Claim of those tokens that holds the scopes: a text with spaces, or a list.',
    parse: text,
  },
  TAKT_OIDC_ISSUER: {
    default: '',
    meaning:
      'Issuer of an OpenID Connect provider at which users may sign in, https, or http on this computer alone; empty: none.',
    parse: issuer,
  },
  TAKT_OIDC_CLIENT_ID: { default: '', meaning: 'Client that the provider knows Takt as.', parse: text },
  TAKT_OIDC_CLIENT_SECRET: {
    default: '',
    meaning: 'Secret of that client; empty: a public client, with PKCE alone.',
    parse: text,
  },
  TAKT_OIDC_CLIENT_SECRET_FILE: { default: '', meaning: 'File that holds the secret, in its place.', parse: optional },
  TAKT_OIDC_NAME: {
    default: 'single sign-on',
    meaning: 'Name of the provider on the button to sign in there.',
    parse: text,
  },
  TAKT_OIDC_SCOPES: {
    default: 'openid email profile',
    meaning: 'Scopes that the provider is asked for: those of OpenID Connect, not those of Takt.',
    parse: text,
  },
  TAKT_OIDC_ROLE_CLAIM: {
    default: 'takt_role',
    meaning:
      'Claim that holds the role: a text or a list, by its name or a path such as `realm_access.roles`; the highest role of several counts.',
    parse: text,
  },
  TAKT_OIDC_ROLES: {
    default: '',
    meaning:
      'Roles by values of that claim: `value=role`, separated by commas, such as `takt-admins=it_admin`; empty: the values are the names of roles.',
    parse: rolesOfClaim,
  },
  TAKT_OIDC_COMPANY_CLAIM: {
    default: '',
    meaning: 'Claim that holds the id of the company; empty: all are of the first company.',
    parse: optional,
  },
  TAKT_LOG_LEVEL: {
    default: 'warn',
    meaning: 'What is logged, as lines of JSON on stderr: trace, debug, info, warn, error, fatal or silent.',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>

type Settings = typeof settings
export type Config = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]['parse']> }

/** Reads every setting; throws one Error that names every fault. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const entries = Object.entries(settings).map(([name, setting]) => {
    try {
      return [name, setting.parse(env[name] ?? setting.default)]
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      return [name, null]
    }
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every setting was parsed above
  const config = Object.fromEntries(entries) as Config
  if (
    config.TAKT_ROLES?.length < roles.length &&
    (config.CLICKHOUSE_URL === null || config.KAFKA_BROKERS.length === 0)
  ) {
    faults.push('TAKT_ROLES: a process with only some roles needs CLICKHOUSE_URL and KAFKA_BROKERS')
  }
  if (config.TAKT_OAUTH_JWKS_URL !== null && (config.TAKT_OAUTH_ISSUER === '' || config.TAKT_OAUTH_AUDIENCE === '')) {
    faults.push('TAKT_OAUTH_JWKS_URL: needs TAKT_OAUTH_ISSUER and TAKT_OAUTH_AUDIENCE')
  }
  faults.push(...faultsTogether(config))
  if (faults.length > 0) throw new Error(`Settings that can't be used:\n  ${faults.join('\n  ')}`)
  return config
}

/** Settings of the simulated plant. */
export function demoSettings(config: Config): DemoSettings {
  return {
    dataDir: config.TAKT_DATA_DIR,
    machines: config.TAKT_DEMO_MACHINES,
    seed: config.TAKT_DEMO_SEED,
    hours: config.TAKT_DEMO_HOURS,
  }
}

/** Settings that only make sense together. */
function faultsTogether(config: Config): readonly string[] {
  const faults: string[] = []
  if (config.KAFKA_SASL_MECHANISM !== '' && config.KAFKA_SASL_USERNAME === '')
    faults.push('KAFKA_SASL_USERNAME: KAFKA_SASL_MECHANISM needs a user')
  if (config.KAFKA_SASL_MECHANISM === '' && config.KAFKA_SASL_USERNAME !== '')
    faults.push('KAFKA_SASL_MECHANISM: KAFKA_SASL_USERNAME needs one of plain, scram-sha-256, scram-sha-512')
  if (config.KAFKA_TLS === '0' && (config.KAFKA_TLS_CA_FILE ?? config.KAFKA_TLS_CERT_FILE) !== null)
    faults.push('KAFKA_TLS: its files are named, but it is not 1')
  for (const name of ['KAFKA', 'CLICKHOUSE'] as const) {
    if ((config[`${name}_TLS_CERT_FILE`] === null) !== (config[`${name}_TLS_KEY_FILE`] === null))
      faults.push(`${name}_TLS_CERT_FILE: certificate and key (${name}_TLS_KEY_FILE) go together`)
  }
  if (config.TAKT_OIDC_ISSUER !== null && config.TAKT_OIDC_CLIENT_ID === '')
    faults.push('TAKT_OIDC_CLIENT_ID: TAKT_OIDC_ISSUER needs it')
  for (const name of ['KAFKA_SASL_PASSWORD', 'CLICKHOUSE_PASSWORD', 'TAKT_OIDC_CLIENT_SECRET'] as const) {
    if (config[name] !== '' && config[`${name}_FILE`] !== null)
      faults.push(`${name}: name either the secret or its file (${name}_FILE)`)
  }
  if (config.CLICKHOUSE_TLS_CERT_FILE !== null && config.CLICKHOUSE_TLS_CA_FILE === null)
    faults.push('CLICKHOUSE_TLS_CA_FILE: CLICKHOUSE_TLS_CERT_FILE needs it')
  if (config.CLICKHOUSE_TLS_CA_FILE !== null && config.CLICKHOUSE_URL?.startsWith('https://') !== true)
    faults.push('CLICKHOUSE_TLS_CA_FILE: CLICKHOUSE_URL must begin with https://')
  return faults
}

/** Whether a simulated plant runs: by default only where everything is embedded. */
export function isDemo(config: Config): boolean {
  return config.TAKT_DEMO === ''
    ? config.CLICKHOUSE_URL === null && config.KAFKA_BROKERS.length === 0
    : config.TAKT_DEMO === '1'
}
