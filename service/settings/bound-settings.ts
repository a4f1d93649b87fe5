import { isIP } from 'node:net'
import { readList, readInt, readZeroOrInt, type Settings } from './setting.ts'

function parseProxies(text: string): readonly string[] {
  const proxies = readList(text)
  if (proxies.every(isProxy)) return proxies
  throw new Error('expected a list of addresses, subnets such as 10.0.0.0/8, loopback, linklocal or uniquelocal')
}

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits = '0', ...rest] = text.split('/')
  const maxBits = isIP(address) === 4 ? 32 : 128
  return isIP(address) > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits && rest.length === 0
}

/** Limits of machines, connections and sessions. */
export const limitSettings = {
  TAKT_MACHINE_KEYS: {
    default: '5000',
    meaning:
      'Limit of the keys of one machine, each counted for every type and subtype; state keys have a further limit of a fifth of this number. Samples beyond the limits become dead letters.',
    parse: readInt(10, 5_000),
  },
  TAKT_MACHINE_KEY_CHARS: {
    default: '1000000',
    meaning: 'Limit of the total length of these names, per machine.',
    parse: readInt(1_000, 10_000_000),
  },
  TAKT_MACHINE_CONDITIONS: {
    default: '2000',
    meaning: 'Limit of the simultaneously active conditions of one machine; further ones become dead letters.',
    parse: readInt(10, 100_000),
  },
  TAKT_EVENT_LOOP_HOLD_MS: {
    default: '50',
    meaning: 'Blocking of the event loop for longer than this is counted in `GET /metrics` and logged.',
    parse: readInt(1, 60_000),
  },
  TAKT_HTTP_HEADERS_SECONDS: {
    default: '15',
    meaning: 'Time limit for the headers of a request; beyond it, the connection is closed with 408.',
    parse: readInt(1, 3600),
  },
  TAKT_HTTP_REQUEST_SECONDS: {
    default: '300',
    meaning: 'Time limit for a whole request, including its body; beyond it, the connection is closed with 408.',
    parse: readInt(1, 86_400),
  },
  TAKT_HTTP_IDLE_SECONDS: {
    default: '65',
    meaning:
      'Time limit for the next request of a connection, and for a client to read 64 KiB of a response. Must be longer than the pauses of gateways, pages and proxies (usually 60 s), or requests are lost.',
    parse: readInt(1, 3600),
  },
  TAKT_HTTP_CONNECTIONS: {
    default: '25000',
    meaning:
      'Limit of concurrent connections to `TAKT_PORT`, including live ones; further ones are closed immediately.',
    parse: readInt(10, 1_000_000),
  },
  TAKT_HTTP_UNSENT_BYTES: {
    default: '268435456',
    meaning:
      'Limit of the bytes of all responses that wait for their clients; beyond it, the connections whose clients have read nothing for the longest time are closed.',
    parse: readInt(1_048_576, 17_179_869_184),
  },
  TAKT_READY_LAG_SECONDS: {
    default: '120',
    meaning:
      'Lag of live hours beyond which `GET /health/ready` is 503; at least 20 s, because samples wait up to 10 s until data is read; 0: no limit.',
    parse: readZeroOrInt(20, 1_000_000),
  },
  TAKT_SESSION_IDLE_MINUTES: {
    default: '720',
    meaning: 'Lifetime of a session without requests.',
    parse: readInt(1, 525_600),
  },
  TAKT_SESSION_DAYS: {
    default: '7',
    meaning: 'Maximum lifetime of a session.',
    parse: readInt(1, 365),
  },
  TAKT_TRUSTED_PROXIES: {
    default: 'loopback',
    meaning:
      'Proxies whose X-Forwarded-For, -Host and -Proto are accepted: addresses or subnets, separated by commas. These headers of other clients are ignored.',
    parse: parseProxies,
  },
  TAKT_CORS_ORIGINS: {
    default: '*',
    meaning: 'Origins from which browsers may send requests, separated by commas.',
    parse: readList,
  },
} as const satisfies Settings
