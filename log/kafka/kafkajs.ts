import { createRequire } from 'node:module'
import type * as Kafkajs from 'kafkajs'

const require = createRequire(import.meta.url)

/** Returns the package, which is loaded by the first call: a process without Kafka starts sooner without it. */
export function loadKafkajs(): typeof Kafkajs {
  const kafkajs: typeof Kafkajs = require('kafkajs')
  return kafkajs
}
