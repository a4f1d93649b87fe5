import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { openKafkaLog } from '../../../log/kafka/kafka-log.ts'
import type { Log } from '../../../log/log.ts'
import { sharedBroker } from '../../support/kafka.ts'
import { connectTopics, describeConnectors } from './contract.ts'

describe('connectors on the embedded log', () => {
  const path = mkdtempSync(join(tmpdir(), 'takt-connect-'))
  let log: Log | undefined
  after(async () => {
    await log?.close()
    rmSync(path, { recursive: true, force: true })
  })

  // Only one process can open the embedded log.
  describeConnectors({
    open: async () => {
      if (log === undefined) {
        log = await openEmbeddedLog({ path })
        await log.createTopics(connectTopics)
      }
      return log
    },
    crash: async closing => {
      log = undefined
      await closing.close()
    },
  })
})

describe('connectors on Kafka', () => {
  const logs = new Set<Log>()
  before(async function () {
    if ((await sharedBroker()) === null) this.skip()
  })
  after(async () => {
    await Promise.all([...logs].map(log => log.close()))
  })

  describeConnectors({
    open: async () => {
      const broker = await sharedBroker()
      const log = await openKafkaLog({ brokers: broker?.brokers ?? [], clientId: `takt-test-${randomUUID()}` })
      await log.createTopics(connectTopics)
      logs.add(log)
      return log
    },
    crash: async log => {
      logs.delete(log)
      await log.close()
    },
  })
})
