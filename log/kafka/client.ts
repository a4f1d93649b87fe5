import { Kafka, logLevel, type KafkaConfig, type RetryOptions, type SASLOptions } from 'kafkajs'
import { patchKafkajs } from './patches.ts'
import type { Problems } from '../../shared/problems.ts'

/** The part of a pino logger that is used. */
export interface KafkaLogger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface KafkaLogOptions {
  /** `host:port` of brokers to begin with. */
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly logger?: KafkaLogger
  readonly ssl?: KafkaConfig['ssl']
  readonly sasl?: SASLOptions
  /** How long an append or a commit waits for a broker before it rejects with `LogUnavailable`. */
  readonly timeoutMs?: number
  /** How long the group waits for a member that is not heard of. */
  readonly sessionTimeoutMs?: number
  /** Where readers report what they cannot read. */
  readonly problems?: Problems
}

/** Connections that the parts of the Kafka log share. */
export interface KafkaContext {
  /** For what is asked once: gives up soon. */
  readonly asking: Kafka
  /** For what is appended: tries for `timeoutMs`. */
  readonly writing: Kafka
  /** For what is read: waits long for a broker to come back, so that the membership in the group outlives its restart. */
  readonly reading: Kafka
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly logger: KafkaLogger | undefined
  readonly timeoutMs: number
  readonly sessionTimeoutMs: number
  readonly problems: Problems | undefined
}

/** How long readers look for a broker before they begin anew. */
export const waitForBrokerMs = 60_000

/** Partitions that are added to a topic are found after at most this time, plus the time for the group to share them. */
export const metadataMaxAgeMs = 4_000

/** kafkajs with its traps disarmed. */
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
 * Retries of about this long in all. kafkajs nests them, and takes an inner one that has given up for final: so the inner ones,
 * which come from the client, decide.
 */
export function retryFor(ms: number): RetryOptions {
  return { initialRetryTime: 50, multiplier: 2, factor: 0.2, maxRetryTime: 500, retries: 3 + Math.ceil(ms / 500) }
}

function createKafka({ logger, clientId, ...options }: KafkaLogOptions, retry: RetryOptions): Kafka {
  return new Kafka({
    brokers: [...options.brokers],
    clientId,
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    retry,
    logLevel: logger === undefined ? logLevel.NOTHING : logLevel.INFO,
    logCreator: () => entry => {
      const { message, timestamp: _, ...fields } = entry.log
      // The errors of kafkajs are those of connections and of requests: the logger writes few of them during an outage.
      const code = entry.level === logLevel.ERROR && { code: 'log_unavailable' }
      logger?.[logMethod(entry.level)]({ ...fields, ...code, namespace: entry.namespace }, message)
    },
    ...(options.ssl === undefined ? {} : { ssl: options.ssl }),
    ...(options.sasl === undefined ? {} : { sasl: options.sasl }),
  })
}

/** One level lower than kafkajs has it: it calls every reconnect an error and every rebalance news. */
function logMethod(level: logLevel): 'warn' | 'info' | 'debug' {
  if (level === logLevel.ERROR) return 'warn'
  return level === logLevel.WARN ? 'info' : 'debug'
}
