import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { openKafkaLog } from '../../../log/kafka/kafka-log.ts'
import type { Log } from '../../../log/log.ts'
import { sharedBroker } from '../../support/kafka.ts'
import { positionsTopic } from '../../../connect/positions/position.ts'
import { describeOwnership } from './contract.ts'

describe('ownership of positions on the embedded log', () => {
  const path = mkdtempSync(join(tmpdir(), 'takt-positions-'))
  let log: Log | undefined
  after(async () => {
    await log?.close()
    rmSync(path, { recursive: true, force: true })
  })

  // Only one process can open the embedded log.
  describeOwnership(async () => (log ??= await openEmbeddedLog({ path })))
})

describe('ownership of positions on Kafka', () => {
  const logs: Log[] = []
  before(async function () {
    if ((await sharedBroker()) === null) this.skip()
  })
  after(async () => {
    await Promise.all(logs.map(log => log.close()))
  })

  describeOwnership(async () => {
    const broker = await sharedBroker()
    const log = await openKafkaLog({ brokers: broker?.brokers ?? [], clientId: `takt-test-${randomUUID()}` })
    await log.createTopics([positionsTopic])
    logs.push(log)
    return log
  })
})
