import { LogUnavailable } from '../log.ts'

const unauthorizedTypes: ReadonlySet<unknown> = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
])
const fencedTypes: ReadonlySet<unknown> = new Set(['INVALID_PRODUCER_EPOCH', 'PRODUCER_FENCED', 'INVALID_TXN_STATE'])
/** Errors that a retry cannot solve. */
const finalTypes: ReadonlySet<unknown> = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
  ...unauthorizedTypes,
  // Without INVALID_REPLICATION_FACTOR, which also occurs while brokers start.
  'INVALID_PARTITIONS',
])
/** kafkajs 2.2.4 does not know code 90, PRODUCER_FENCED. */
const fencedText = /\b90\b|newer producer/

/** Yields an error and the causes in the wrappers of kafkajs. */
function* chain(error: unknown): Generator<Error> {
  for (let current = error, depth = 0; current instanceof Error && depth < 10; depth++) {
    yield current
    if ('originalError' in current && current.originalError instanceof Error) yield current.originalError
    if ('errors' in current && Array.isArray(current.errors))
      yield* current.errors.filter(each => each instanceof Error)
    current = current.cause
  }
}

/** The broker's names of the error and its causes. */
function types(error: unknown): unknown[] {
  return [...chain(error)].map(each => ('type' in each ? each.type : undefined))
}

/** Whether a newer producer of the same transactional id has taken over. */
export function isFenced(error: unknown): boolean {
  return (
    types(error).some(type => fencedTypes.has(type)) ||
    [...chain(error)].some(({ message }) => fencedText.test(message))
  )
}

/** Whether a retry of the call cannot succeed. */
export function isFinal(error: unknown): boolean {
  return error instanceof RangeError || types(error).some(type => finalTypes.has(type))
}

/** Whether the user lacks a permission. */
export function isUnauthorized(error: unknown): error is Error {
  return error instanceof Error && types(error).some(type => unauthorizedTypes.has(type))
}

/** Whether a broker rejected the user or the password. */
export function isAccessDenied(error: unknown): boolean {
  return [...chain(error)].some(({ name }) => name === 'KafkaJSSASLAuthenticationError')
}

/** Converts temporary errors of the broker to `LogUnavailable`; errors of the caller stay unchanged. */
export function mapped(error: unknown, doing: string): Error {
  if (error instanceof LogUnavailable) return error
  if (isFinal(error) && error instanceof Error) return error
  const why = error instanceof Error ? error.message : String(error)
  return new LogUnavailable(`Kafka: ${doing} failed: ${why}`, { cause: error })
}
