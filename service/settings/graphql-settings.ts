import { readInt, type Settings } from './setting.ts'

/** Settings of GraphQL, over HTTP and over WebSockets. */
export const graphqlSettings = {
  TAKT_GRAPHQL_RATE_LIMIT: {
    default: '1000',
    meaning: 'GraphQL requests a minute and company, each operation of an array counted; 0: no limit.',
    parse: readInt(0, 1_000_000_000),
  },
  TAKT_GRAPHQL_MAX_SECONDS: {
    default: '10',
    meaning: 'How long a GraphQL request may take, all operations of an array together.',
    parse: readInt(1, 3600),
  },
  TAKT_GRAPHQL_MAX_DEPTH: {
    default: '10',
    meaning: 'How deep the selections of a GraphQL request may be nested.',
    parse: readInt(1, 100),
  },
  TAKT_GRAPHQL_MAX_LISTS: {
    default: '50',
    meaning: 'Lists, aggregates and functions that a GraphQL request may ask for.',
    parse: readInt(1, 10_000),
  },
  TAKT_GRAPHQL_MAX_FIELDS: {
    default: '2000',
    meaning: 'Fields that a GraphQL request may ask for, those of fragments counted wherever they are spread.',
    parse: readInt(1, 1_000_000),
  },
  TAKT_GRAPHQL_MAX_ROWS: {
    default: '100000',
    meaning:
      'Rows that all lists of a GraphQL request may have together, each counted as often as the response contains it.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_GRAPHQL_MAX_CHARS: {
    default: '67108864',
    meaning: 'Largest GraphQL response over HTTP, in bytes before compression.',
    parse: readInt(1024, 1e9),
  },
  TAKT_GRAPHQL_ANSWERS_BYTES: {
    default: '268435456',
    meaning:
      'Memory that all GraphQL responses in progress over HTTP may use, in bytes, each company its share; a request beyond it is rejected.',
    parse: readInt(1024, 1e12),
  },
  TAKT_GRAPHQL_SUBSCRIPTIONS: {
    default: '20000',
    meaning:
      'Operations over WebSockets at `/graphql` that are under way at once, subscriptions above all, each company its share; more are refused.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_GRAPHQL_OPERATIONS_BYTES: {
    default: '536870912',
    meaning:
      'Memory that operations over WebSockets at `/graphql` take while they are under way, without their results, in bytes, each company its share; more are refused.',
    parse: readInt(1024, 1e12),
  },
  TAKT_GRAPHQL_SUBSCRIPTIONS_PER_CONNECTION: {
    default: '100',
    meaning: 'Operations that one WebSocket at `/graphql` may have under way at once.',
    parse: readInt(1, 10_000),
  },
  TAKT_GRAPHQL_SUBSCRIPTION_LOAD: {
    default: '25',
    meaning:
      'Share of one processor, in percent, that operations over WebSockets at `/graphql` may take, other threads counted up to as much as the main one; beyond it results come less often.',
    parse: readInt(1, 1_000),
  },
  TAKT_GRAPHQL_SUBSCRIPTION_ROWS: {
    default: '10000',
    meaning: 'Rows that all lists of an operation over a WebSocket at `/graphql` may have together.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_GRAPHQL_SUBSCRIPTION_BYTES: {
    default: '4194304',
    meaning: 'Largest result of a subscription, in bytes; twice as much may wait for one connection.',
    parse: readInt(1024, 1e9),
  },
  TAKT_GRAPHQL_RESULTS_BYTES: {
    default: '268435456',
    meaning:
      'Latest results that are kept for those who subscribe to the same later, in bytes, each company its share; without room they are made again.',
    parse: readInt(0, 1e12),
  },
  TAKT_GRAPHQL_MESSAGE_LIMIT: {
    default: '262144',
    meaning: 'Largest message that a client may send over a WebSocket at `/graphql`, in bytes.',
    parse: readInt(1024, 10_000_000),
  },
} as const satisfies Settings
