import { readInt, type Settings } from './setting.ts'

/** Settings of GraphQL, over HTTP and over WebSockets. */
export const graphqlSettings = {
  TAKT_GRAPHQL_RATE_LIMIT: {
    default: '1000',
    meaning: 'GraphQL requests per minute and company; each operation of an array counts; 0: no limit.',
    parse: readInt(0, 1_000_000_000),
  },
  TAKT_GRAPHQL_MAX_SECONDS: {
    default: '10',
    meaning: 'Time limit of a GraphQL request, including all operations of an array.',
    parse: readInt(1, 3600),
  },
  TAKT_GRAPHQL_MAX_DEPTH: {
    default: '10',
    meaning: 'Maximum nesting of the selections of a GraphQL request.',
    parse: readInt(1, 100),
  },
  TAKT_GRAPHQL_MAX_LISTS: {
    default: '50',
    meaning: 'Maximum number of lists, aggregates and functions in a GraphQL request.',
    parse: readInt(1, 10_000),
  },
  TAKT_GRAPHQL_MAX_FIELDS: {
    default: '2000',
    meaning: 'Maximum number of fields in a GraphQL request; fields of a fragment count at each spread.',
    parse: readInt(1, 1_000_000),
  },
  TAKT_GRAPHQL_MAX_ROWS: {
    default: '100000',
    meaning:
      'Maximum number of rows in all lists of a GraphQL request; a row counts each time the response contains it.',
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
      'Memory limit of all GraphQL responses in progress over HTTP, in bytes; each company has a fair share; further requests are rejected.',
    parse: readInt(1024, 1e12),
  },
  TAKT_GRAPHQL_SUBSCRIPTIONS: {
    default: '20000',
    meaning:
      'Limit of concurrent operations over WebSockets at `/graphql`, mainly subscriptions; each company has a fair share; further ones are rejected.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_GRAPHQL_OPERATIONS_BYTES: {
    default: '536870912',
    meaning:
      'Memory limit of operations in progress over WebSockets at `/graphql`, without their results, in bytes; each company has a fair share; further ones are rejected.',
    parse: readInt(1024, 1e12),
  },
  TAKT_GRAPHQL_SUBSCRIPTIONS_PER_CONNECTION: {
    default: '100',
    meaning: 'Limit of concurrent operations of one WebSocket at `/graphql`.',
    parse: readInt(1, 10_000),
  },
  TAKT_GRAPHQL_SUBSCRIPTION_LOAD: {
    default: '25',
    meaning:
      'Limit of the CPU time of operations over WebSockets at `/graphql`, in percent of one processor; time of other threads counts up to that of the main thread; beyond the limit, results are sent less often.',
    parse: readInt(1, 1_000),
  },
  TAKT_GRAPHQL_SUBSCRIPTION_ROWS: {
    default: '10000',
    meaning: 'Maximum number of rows in all lists of an operation over a WebSocket at `/graphql`.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_GRAPHQL_SUBSCRIPTION_BYTES: {
    default: '4194304',
    meaning: 'Maximum size of a subscription result, in bytes; twice this size may wait for one connection.',
    parse: readInt(1024, 1e9),
  },
  TAKT_GRAPHQL_RESULTS_BYTES: {
    default: '268435456',
    meaning:
      'Size limit of cached latest results for later subscribers of the same query, in bytes; each company has a fair share; results that do not fit are evaluated again.',
    parse: readInt(0, 1e12),
  },
  TAKT_GRAPHQL_MESSAGE_LIMIT: {
    default: '262144',
    meaning: 'Maximum size of a client message over a WebSocket at `/graphql`, in bytes.',
    parse: readInt(1024, 10_000_000),
  },
} as const satisfies Settings
