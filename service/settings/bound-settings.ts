import { isIP } from 'node:net'
import { readList, readZeroOrInt, setting, type Settings } from './setting.ts'

function parseProxies(text: string): readonly string[] {
  const proxies = readList(text)
  if (proxies.every(isProxy)) return proxies
  throw new Error('expected a list of addresses, subnets such as 10.0.0.0/8, loopback, linklocal or uniquelocal')
}

function isProxy(text: string): boolean {
  return ['loopback', 'linklocal', 'uniquelocal'].includes(text) || isNetwork(text)
}

/** Whether a text is an IP address or a subnet such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/')
  const maxBits = isIP(address) === 4 ? 32 : 128
  return isIP(address) > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits && rest.length === 0
}

/** Limits of machines, connections and sessions. */
export const limitSettings = {
  TAKT_MACHINE_KEYS: setting(
    'Limit of the keys of one machine, each counted for every type and subtype; state keys have a further limit of a fifth of this number. Samples beyond the limits become dead letters.',
  ).int(5000, 10, 5_000),
  TAKT_MACHINE_KEY_CHARS: setting('Limit of the total length of these names, per machine.').int(
    1_000_000,
    1_000,
    10_000_000,
  ),
  TAKT_MACHINE_CONDITIONS: setting(
    'Limit of the simultaneously active conditions of one machine; further ones become dead letters.',
  ).int(2000, 10, 100_000),
  TAKT_EVENT_LOOP_HOLD_MS: setting(
    'Blocking of the event loop for longer than this is counted in `GET /metrics` and logged.',
  ).int(50, 1, 60_000),
  TAKT_HTTP_HEADERS_SECONDS: setting(
    'Time limit for the headers of a request; beyond it, the connection is closed with 408.',
  ).int(15, 1, 3600),
  TAKT_HTTP_REQUEST_SECONDS: setting(
    'Time limit for a whole request, including its body; beyond it, the connection is closed with 408.',
  ).int(300, 1, 86_400),
  TAKT_HTTP_IDLE_SECONDS: setting(
    'Time limit for the next request of a connection, and for a client to read 64 KiB of a response. Must be longer than the pauses of gateways, pages and proxies (usually 60 s), or requests are lost.',
  ).int(65, 1, 3600),
  TAKT_HTTP_CONNECTIONS: setting(
    'Limit of concurrent connections to `TAKT_PORT`, including live ones; further ones are closed immediately.',
  ).int(25_000, 10, 1_000_000),
  TAKT_HTTP_UNSENT_BYTES: setting(
    'Limit of the bytes of all responses that wait for their clients; beyond it, the connections whose clients have read nothing for the longest time are closed.',
  ).int(268_435_456, 1_048_576, 17_179_869_184),
  TAKT_READY_LAG_SECONDS: setting(
    'Lag of live hours beyond which `GET /health/ready` is 503; at least 20 s, because samples wait up to 10 s until data is read; 0: no limit.',
  ).parsed('120', readZeroOrInt(20, 1_000_000)),
  TAKT_SESSION_IDLE_MINUTES: setting('Lifetime of a session without requests.').int(720, 1, 525_600),
  TAKT_SESSION_DAYS: setting('Maximum lifetime of a session.').int(7, 1, 365),
  TAKT_TRUSTED_PROXIES: setting(
    'Proxies whose X-Forwarded-For, -Host and -Proto are accepted: addresses or subnets, separated by commas. These headers of other clients are ignored.',
  ).parsed('loopback', parseProxies),
  TAKT_CORS_ORIGINS: setting('Origins from which browsers may send requests, separated by commas.').parsed(
    '*',
    readList,
  ),
} satisfies Settings
