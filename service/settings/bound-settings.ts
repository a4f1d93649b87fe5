import { isIP } from 'node:net'
import { readList, readInt, readZeroOrInt, type Settings } from './setting.ts'

function proxies(text: string): readonly string[] {
  const given = readList(text)
  if (given.every(isProxy)) return given
  throw new Error('expected a list of addresses, subnets such as 10.0.0.0/8, loopback, linklocal or uniquelocal')
}

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits = '0', ...rest] = text.split('/')
  const mostBits = isIP(address) === 4 ? 32 : 128
  return isIP(address) > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= mostBits && rest.length === 0
}

/** Bounds of machines, connections and sessions. */
export const boundSettings = {
  TAKT_MACHINE_KEYS: {
    default: '5000',
    meaning:
      'Keys of one machine, each counted for every type and subtype; a fifth as many more that decide state. Further ones become dead letters.',
    parse: readInt(10, 5_000),
  },
  TAKT_MACHINE_KEY_CHARS: {
    default: '1000000',
    meaning: 'Length of those names together, of one machine.',
    parse: readInt(1_000, 10_000_000),
  },
  TAKT_MACHINE_CONDITIONS: {
    default: '2000',
    meaning: 'Conditions of one machine that are raised at once; further ones become dead letters.',
    parse: readInt(10, 100_000),
  },
  TAKT_EVENT_LOOP_HOLD_MS: {
    default: '50',
    meaning: 'How long something may hold the event loop before it is counted in `GET /metrics` and logged.',
    parse: readInt(1, 60_000),
  },
  TAKT_HTTP_HEADERS_SECONDS: {
    default: '15',
    meaning: 'How long the headers of a request may take to come; then the connection is closed with 408.',
    parse: readInt(1, 3600),
  },
  TAKT_HTTP_REQUEST_SECONDS: {
    default: '300',
    meaning: 'How long a whole request may take to come, its body included; then the connection is closed with 408.',
    parse: readInt(1, 86_400),
  },
  TAKT_HTTP_IDLE_SECONDS: {
    default: '65',
    meaning:
      'How long a connection may wait for its next request, or a client may read under 64 KiB of a response: longer than gateways, pages and proxies pause (60 s for most), or a request is lost.',
    parse: readInt(1, 3600),
  },
  TAKT_HTTP_CONNECTIONS: {
    default: '25000',
    meaning: 'Connections to `TAKT_PORT` at once, live ones included; more are closed at once.',
    parse: readInt(10, 1_000_000),
  },
  TAKT_HTTP_UNSENT_BYTES: {
    default: '268435456',
    meaning:
      'Bytes of all responses that wait for their clients; beyond it, the connections are closed whose clients have read nothing for the longest time.',
    parse: readInt(1_048_576, 17_179_869_184),
  },
  TAKT_READY_LAG_SECONDS: {
    default: '120',
    meaning:
      'Lag of live hours beyond which `GET /health/ready` is 503, at least 20 s as samples wait up to 10 s while little comes; 0: none.',
    parse: readZeroOrInt(20, 1_000_000),
  },
  TAKT_SESSION_IDLE_MINUTES: {
    default: '720',
    meaning: 'How long a session that is not used lasts.',
    parse: readInt(1, 525_600),
  },
  TAKT_SESSION_DAYS: {
    default: '7',
    meaning: 'How long a session lasts at most.',
    parse: readInt(1, 365),
  },
  TAKT_TRUSTED_PROXIES: {
    default: 'loopback',
    meaning:
      'Proxies whose X-Forwarded-For, -Host and -Proto are accepted: addresses or subnets, separated by commas. Those of other clients are ignored.',
    parse: proxies,
  },
  TAKT_CORS_ORIGINS: {
    default: '*',
    meaning: 'Origins that browsers may call from, separated by commas.',
    parse: readList,
  },
} as const satisfies Settings
