import { readOneOf, readOptionalInt, setting, type Settings } from './setting.ts'

/** Settings of the live channels and timelines. */
export const liveSettings = {
  TAKT_LIVE_ENGINE: setting(
    'Engine of the live channels: uws (uWebSockets, native code), ws (no native code), or auto: uws if installed, otherwise ws.',
  ).parsed('auto', readOneOf('auto', 'uws', 'ws')),
  TAKT_LIVE_PORT: setting(
    'Port for direct connections to the uws engine; 0: any free one; empty: only through TAKT_PORT.',
  ).parsed('', readOptionalInt(0, 65_535)),
  TAKT_LIVE_CONNECTIONS: setting(
    'Limit of live connections of this process; each company has a fair share; further ones are rejected.',
  ).int(20_000, 1, 1_000_000),
  TAKT_LIVE_UNJOINED_PER_ADDRESS: setting(
    'Limit of live connections of one address that have not joined a channel; such connections of all addresses may use a quarter of all connections.',
  ).int(250, 1, 1_000_000),
  TAKT_LIVE_JOIN_SECONDS: setting('Time limit for a live connection to join a channel; then it is closed.').int(
    30,
    1,
    86_400,
  ),
  TAKT_LIVE_WAITING_BYTES: setting(
    'Memory limit of all waiting live commands, and of GraphQL messages that wait for a token check, in bytes: the size of the messages, and 1 KiB each.',
  ).int(33_554_432, 1_048_576, 1e10),
  TAKT_LIVE_VALUES_BYTES: setting(
    'Approximate memory limit of the latest values of all machines, in bytes; each company has a fair share. Beyond it, new metrics are not shown live, and long values are truncated.',
  ).int(1_073_741_824, 1_048_576, 1e12),
  TAKT_LIVE_TIMELINES: setting(
    'Limit of live timeline requests of this process; each company has a fair share; further ones are rejected.',
  ).int(10_000, 1, 10_000_000),
  TAKT_LIVE_BUFFER_BYTES: setting(
    'Limit of the bytes that wait for one live connection: GraphQL results and new timeline data; beyond it, the connection is closed. ' +
      'Values and statuses do not wait: a slow reader receives the newest.',
  ).int(2_097_152, 65_536, 1e9),
  TAKT_LIVE_BLOCKED_SECONDS: setting('Time limit for a live connection to read pending data; then it is closed.').int(
    30,
    1,
    3600,
  ),
  TAKT_LIVE_COMMANDS_PER_SECOND: setting(
    'Limit of commands per second and live connection; a burst may have five times this number. Each 16 KiB count as one.',
  ).int(20, 1, 100_000),
  TAKT_TIMELINE_MAX_DAYS: setting('Maximum range of one timeline request.').int(31, 1, 3660),
  TAKT_TIMELINE_MAX_SAMPLES: setting(
    'Maximum number of samples in one timeline response; a request for more is rejected.',
  ).int(50_000, 1, 10_000_000),
} satisfies Settings
