import type { Kafka, KafkaConfig, logLevel, RetryOptions, SASLOptions } from 'kafkajs'
import { loadKafkajs } from './kafkajs.ts'
import { patchKafkajs } from './patches.ts'
import type { Problems } from '../../shared/problems.ts'

/** The methods of a pino logger that are used. */
export interface KafkaLogger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface KafkaLogOptions {
  /** `host:port` of the bootstrap brokers. */
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly logger?: KafkaLogger
  readonly ssl?: KafkaConfig['ssl']
  readonly sasl?: SASLOptions
  /** Time that an append or a commit waits for a broker before it rejects with `LogUnavailable`. */
  readonly timeoutMs?: number
  /** Time after which the group removes a member without heartbeats. */
  readonly sessionTimeoutMs?: number
  /** Receives the problems of readers. */
  readonly problems?: Problems
}

/** Connections that the parts of the Kafka log share. */
export interface KafkaContext {
  /** Client for single requests, with short retries. */
  readonly asking: Kafka
  /** Client for appends, with retries for `timeoutMs`. */
  readonly writing: Kafka
  /** Client for reads, with long retries, so that the membership in the group outlives a restart of the broker. */
  readonly reading: Kafka
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly logger: KafkaLogger | undefined
  readonly timeoutMs: number
  readonly sessionTimeoutMs: number
  readonly problems: Problems | undefined
}

/** Time that readers retry a broker before they restart. */
export const waitForBrokerMs = 60_000

/** Partitions that are added to a topic are found within this time, plus the time of a rebalance. */
export const metadataMaxAgeMs = 4_000

/** Creates the kafkajs clients with safe options. */
export function createKafkaContext(options: KafkaLogOptions): KafkaContext {
  patchKafkajs()
  const { clientId, timeoutMs = 30_000, sessionTimeoutMs = 15_000 } = options
  return {
    asking: createKafka(options, retryFor(Math.min(timeoutMs, 1_000))),
    writing: createKafka(options, retryFor(timeoutMs)),
    reading: createKafka(options, retryFor(waitForBrokerMs)),
    brokers: options.brokers,
    clientId,
    logger: options.logger,
    timeoutMs,
    sessionTimeoutMs,
    problems: options.problems,
  }
}

/**
 * Retries for about this time in total. kafkajs nests retries, and treats an inner failure as final: so the inner ones,
 * which come from the client, decide.
 */
export function retryFor(ms: number): RetryOptions {
  return { initialRetryTime: 50, multiplier: 2, factor: 0.2, maxRetryTime: 500, retries: 3 + Math.ceil(ms / 500) }
}

function createKafka({ logger, clientId, ...options }: KafkaLogOptions, retry: RetryOptions): Kafka {
  const kafkajs = loadKafkajs()
  const levels = kafkajs.logLevel
  return new kafkajs.Kafka({
    brokers: [...options.brokers],
    clientId,
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    retry,
    logLevel: logger === undefined ? levels.NOTHING : levels.INFO,
    logCreator: () => entry => {
      const { message, timestamp: _, ...fields } = entry.log
      // Errors of kafkajs concern connections and requests; with this code the logger limits them during an outage.
      const code = entry.level === levels.ERROR && { code: 'log_unavailable' }
      logger?.[logMethod(entry.level)]({ ...fields, ...code, namespace: entry.namespace }, message)
    },
    ...(options.ssl === undefined ? {} : { ssl: options.ssl }),
    ...(options.sasl === undefined ? {} : { sasl: options.sasl }),
  })
}

/** Lowers the level of kafkajs, which logs every reconnect as an error and every rebalance as information. */
function logMethod(level: logLevel): 'warn' | 'info' | 'debug' {
  const { ERROR, WARN } = loadKafkajs().logLevel
  if (level === ERROR) return 'warn'
  return level === WARN ? 'info' : 'debug'
}
