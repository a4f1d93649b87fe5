import { setting, type Settings } from './setting.ts'

/** Settings of GraphQL, over HTTP and over WebSockets. */
export const graphqlSettings = {
  TAKT_GRAPHQL_RATE_LIMIT: setting(
    'GraphQL requests per minute and company; each operation of an array counts; 0: no limit.',
  ).int(1000, 0, 1_000_000_000),
  TAKT_GRAPHQL_MAX_SECONDS: setting('Time limit of a GraphQL request, including all operations of an array.').int(
    10,
    1,
    3600,
  ),
  TAKT_GRAPHQL_MAX_DEPTH: setting('Maximum nesting of the selections of a GraphQL request.').int(10, 1, 100),
  TAKT_GRAPHQL_MAX_LISTS: setting('Maximum number of lists, aggregates and functions in a GraphQL request.').int(
    50,
    1,
    10_000,
  ),
  TAKT_GRAPHQL_MAX_FIELDS: setting(
    'Maximum number of fields in a GraphQL request; fields of a fragment count at each spread.',
  ).int(2000, 1, 1_000_000),
  TAKT_GRAPHQL_MAX_ROWS: setting(
    'Maximum number of rows in all lists of a GraphQL request; a row counts each time the response contains it.',
  ).int(100_000, 1, 10_000_000),
  TAKT_GRAPHQL_MAX_CHARS: setting('Largest GraphQL response over HTTP, in bytes before compression.').int(
    67_108_864,
    1024,
    1e9,
  ),
  TAKT_GRAPHQL_ANSWERS_BYTES: setting(
    'Memory limit of all GraphQL responses in progress over HTTP, in bytes; each company has a fair share; further requests are rejected.',
  ).int(268_435_456, 1024, 1e12),
  TAKT_GRAPHQL_SUBSCRIPTIONS: setting(
    'Limit of concurrent operations over WebSockets at `/graphql`, mainly subscriptions; each company has a fair share; further ones are rejected.',
  ).int(20_000, 1, 10_000_000),
  TAKT_GRAPHQL_OPERATIONS_BYTES: setting(
    'Memory limit of operations in progress over WebSockets at `/graphql`, without their results, in bytes; each company has a fair share; further ones are rejected.',
  ).int(536_870_912, 1024, 1e12),
  TAKT_GRAPHQL_SUBSCRIPTIONS_PER_CONNECTION: setting(
    'Limit of concurrent operations of one WebSocket at `/graphql`.',
  ).int(100, 1, 10_000),
  TAKT_GRAPHQL_SUBSCRIPTION_LOAD: setting(
    'Limit of the CPU time of operations over WebSockets at `/graphql`, in percent of one processor; time of other threads counts up to that of the main thread; beyond the limit, results are sent less often.',
  ).int(25, 1, 1_000),
  TAKT_GRAPHQL_SUBSCRIPTION_ROWS: setting(
    'Maximum number of rows in all lists of an operation over a WebSocket at `/graphql`.',
  ).int(10_000, 1, 10_000_000),
  TAKT_GRAPHQL_SUBSCRIPTION_BYTES: setting(
    'Maximum size of a subscription result, in bytes; twice this size may wait for one connection.',
  ).int(4_194_304, 1024, 1e9),
  TAKT_GRAPHQL_RESULTS_BYTES: setting(
    'Size limit of cached latest results for later subscribers of the same query, in bytes; each company has a fair share; results that do not fit are evaluated again.',
  ).int(268_435_456, 0, 1e12),
  TAKT_GRAPHQL_MESSAGE_LIMIT: setting('Maximum size of a client message over a WebSocket at `/graphql`, in bytes.').int(
    262_144,
    1024,
    10_000_000,
  ),
} satisfies Settings
