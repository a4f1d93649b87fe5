import { retry } from '../../shared/async/retry.ts'
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
/** kafkajs 2.2.4 lacks the name of error 90, PRODUCER_FENCED. */
const fencedText = /\b90\b|newer producer/

/** Yields an error and the causes in the wrappers of kafkajs. */
function* errorChain(error: unknown): Generator<Error> {
  for (let current = error, depth = 0; current instanceof Error && depth < 10; depth++) {
    yield current
    if ('originalError' in current && current.originalError instanceof Error) yield current.originalError
    if ('errors' in current && Array.isArray(current.errors))
      yield* current.errors.filter(each => each instanceof Error)
    current = current.cause
  }
}

/** Returns the broker's names of the error and its causes. */
function brokerErrorTypes(error: unknown): unknown[] {
  return [...errorChain(error)].map(each => ('type' in each ? each.type : undefined))
}

/** Returns whether the broker has fenced this producer, because a newer one with the same transactional id exists. */
export function isFenced(error: unknown): boolean {
  return (
    brokerErrorTypes(error).some(type => fencedTypes.has(type)) ||
    [...errorChain(error)].some(({ message }) => fencedText.test(message))
  )
}

/** Returns whether a retry of the call cannot succeed. */
export function isFinal(error: unknown): boolean {
  return error instanceof RangeError || brokerErrorTypes(error).some(type => finalTypes.has(type))
}

/** Returns whether the user lacks a permission. */
export function isUnauthorized(error: unknown): error is Error {
  return error instanceof Error && brokerErrorTypes(error).some(type => unauthorizedTypes.has(type))
}

/** Returns whether a broker rejected the user or the password. */
export function isAccessDenied(error: unknown): boolean {
  return [...errorChain(error)].some(({ name }) => name === 'KafkaJSSASLAuthenticationError')
}

/** Converts temporary errors of the broker to `LogUnavailable`; errors of the caller stay unchanged. */
export function toLogError(error: unknown, doing: string): Error {
  if (error instanceof LogUnavailable) return error
  if (isFinal(error) && error instanceof Error) return error
  const why = error instanceof Error ? error.message : String(error)
  return new LogUnavailable(`Kafka: ${doing} failed: ${why}`, { cause: error })
}

/**
 * Retries until an attempt succeeds. Rejects with the last error after the timeout or if a retry cannot help, and with
 * the signal's reason when it is aborted.
 */
export function untilDone<T>(timeoutMs: number, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return retry(attempt, {
    firstDelayMs: 10,
    maxDelayMs: 500,
    withinMs: timeoutMs,
    isFinal: error => isFenced(error) || isFinal(error) || isAccessDenied(error),
    ...(signal && { signal }),
  })
}
