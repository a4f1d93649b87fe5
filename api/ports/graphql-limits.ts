/** Limits of GraphQL operations. */
export interface GraphqlLimits {
  /** Requests of each company; 0: no limit. */
  readonly requestsPerMinute: number
  /** Duration of one operation. */
  readonly withinMs: number
  /** Nesting of selections. */
  readonly depth: number
  /** Lists, aggregates and functions of one operation. */
  readonly lists: number
  /** Fields of one operation, with fragments expanded. */
  readonly fields: number
  /** Rows of all its lists together. */
  readonly rows: number
  /** Size of a response as JSON in UTF-8, bytes. */
  readonly responseBytes: number
  /** Memory of all responses in progress over HTTP, bytes, in fair shares by company. */
  readonly answersBytes: number
  /** Concurrent operations of one company. */
  readonly concurrency: number
  /** Memory that the store may use for one list. */
  readonly memoryBytes: number
}

export const defaultGraphqlLimits: GraphqlLimits = {
  requestsPerMinute: 1000,
  withinMs: 10_000,
  depth: 10,
  lists: 50,
  fields: 2000,
  rows: 100_000,
  responseBytes: 67_108_864,
  answersBytes: 268_435_456,
  concurrency: 32,
  memoryBytes: 4_000_000_000,
}

/** Maximum number of tokens of a query: the time to validate it grows with their square. */
export const maxQueryTokens = 2000
