import { readInt, readOptionalInt, readOneOf, type Settings } from './setting.ts'

/** Settings of the live channels and timelines. */
export const liveSettings = {
  TAKT_LIVE_ENGINE: {
    default: 'auto',
    meaning:
      'Engine of the live channels: uws (uWebSockets, native code), ws (no native code), or auto: uws if installed, otherwise ws.',
    parse: readOneOf('auto', 'uws', 'ws'),
  },
  TAKT_LIVE_PORT: {
    default: '',
    meaning: 'Port for direct connections to the uws engine; 0: any free one; empty: only through TAKT_PORT.',
    parse: readOptionalInt(0, 65_535),
  },
  TAKT_LIVE_CONNECTIONS: {
    default: '20000',
    meaning: 'Limit of live connections of this process; each company has a fair share; further ones are rejected.',
    parse: readInt(1, 1_000_000),
  },
  TAKT_LIVE_UNJOINED_PER_ADDRESS: {
    default: '250',
    meaning:
      'Limit of live connections of one address that have not joined a channel; such connections of all addresses may use a quarter of all connections.',
    parse: readInt(1, 1_000_000),
  },
  TAKT_LIVE_JOIN_SECONDS: {
    default: '30',
    meaning: 'Time limit for a live connection to join a channel; then it is closed.',
    parse: readInt(1, 86_400),
  },
  TAKT_LIVE_WAITING_BYTES: {
    default: '33554432',
    meaning:
      'Memory limit of all waiting live commands, and of GraphQL messages that wait for a token check, in bytes: the size of the messages, and 1 KiB each.',
    parse: readInt(1_048_576, 1e10),
  },
  TAKT_LIVE_VALUES_BYTES: {
    default: '1073741824',
    meaning:
      'Approximate memory limit of the latest values of all machines, in bytes; each company has a fair share. Beyond it, new metrics are not shown live, and long values are truncated.',
    parse: readInt(1_048_576, 1e12),
  },
  TAKT_LIVE_TIMELINES: {
    default: '10000',
    meaning:
      'Limit of live timeline requests of this process; each company has a fair share; further ones are rejected.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_LIVE_BUFFER_BYTES: {
    default: '2097152',
    meaning:
      'Limit of the bytes that wait for one live connection: GraphQL results and new timeline data; beyond it, the connection is closed. ' +
      'Values and statuses do not wait: a slow reader receives the newest.',
    parse: readInt(65_536, 1e9),
  },
  TAKT_LIVE_BLOCKED_SECONDS: {
    default: '30',
    meaning: 'Time limit for a live connection to read pending data; then it is closed.',
    parse: readInt(1, 3600),
  },
  TAKT_LIVE_COMMANDS_PER_SECOND: {
    default: '20',
    meaning:
      'Limit of commands per second and live connection; a burst may have five times this number. Each 16 KiB count as one.',
    parse: readInt(1, 100_000),
  },
  TAKT_TIMELINE_MAX_DAYS: {
    default: '31',
    meaning: 'Maximum range of one timeline request.',
    parse: readInt(1, 3660),
  },
  TAKT_TIMELINE_MAX_SAMPLES: {
    default: '50000',
    meaning: 'Maximum number of samples in one timeline response; a request for more is rejected.',
    parse: readInt(1, 10_000_000),
  },
} as const satisfies Settings
