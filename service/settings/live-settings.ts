import { readInt, readOptionalInt, readOneOf, type Settings } from './setting.ts'

/** Settings of the live channels and timelines. */
export const liveSettings = {
  TAKT_LIVE_ENGINE: {
    default: 'auto',
    meaning:
      'Engine of the live channels: uws (uWebSockets, native code), ws (no native code), or auto: uws if it is installed, otherwise ws.',
    parse: readOneOf('auto', 'uws', 'ws'),
  },
  TAKT_LIVE_PORT: {
    default: '',
    meaning: 'Port where clients reach the uws engine directly, 0: any free one; empty: through TAKT_PORT alone.',
    parse: readOptionalInt(0, 65_535),
  },
  TAKT_LIVE_CONNECTIONS: {
    default: '20000',
    meaning: 'Live connections that this process takes, each company its share; more are turned down.',
    parse: readInt(1, 1_000_000),
  },
  TAKT_LIVE_UNJOINED_PER_ADDRESS: {
    default: '250',
    meaning: 'Live connections of one address that have not joined; all of them may take a quarter of all connections.',
    parse: readInt(1, 1_000_000),
  },
  TAKT_LIVE_JOIN_SECONDS: {
    default: '30',
    meaning: 'How long a live connection may go without joining a channel before it is closed.',
    parse: readInt(1, 86_400),
  },
  TAKT_LIVE_WAITING_BYTES: {
    default: '33554432',
    meaning: 'Maximum memory of all waiting live commands in bytes: those of their messages, and 1 KiB each.',
    parse: readInt(1_048_576, 1e10),
  },
  TAKT_LIVE_VALUES_BYTES: {
    default: '1073741824',
    meaning:
      'About what the latest values of all machines may take in memory, each company its share. Beyond it new metrics are not shown live, and long values are cut.',
    parse: readInt(1_048_576, 1e12),
  },
  TAKT_LIVE_TIMELINES: {
    default: '10000',
    meaning: 'Timeline requests that go on live in this process, each company its share; more are turned down.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_LIVE_BUFFER_BYTES: {
    default: '2097152',
    meaning:
      'What may wait for one live connection, in bytes: results of GraphQL and what is new of timelines; a reader slower than that is closed. ' +
      'Values and statuses do not wait: a slow reader gets the newest.',
    parse: readInt(65_536, 1e9),
  },
  TAKT_LIVE_BLOCKED_SECONDS: {
    default: '30',
    meaning: 'How long a live connection may take nothing before it is closed.',
    parse: readInt(1, 3600),
  },
  TAKT_LIVE_COMMANDS_PER_SECOND: {
    default: '20',
    meaning: 'Commands that a live connection may send a second; five times as many at once. Each 16 KiB count as one.',
    parse: readInt(1, 100_000),
  },
  TAKT_TIMELINE_MAX_DAYS: {
    default: '31',
    meaning: 'Longest range of one timeline request.',
    parse: readInt(1, 3660),
  },
  TAKT_TIMELINE_MAX_SAMPLES: {
    default: '50000',
    meaning: 'Samples of one timeline answer; a request for more is refused.',
    parse: readInt(1, 10_000_000),
  },
} as const satisfies Settings
