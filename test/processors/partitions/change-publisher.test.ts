import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { Log } from '../../../log/log.ts'
import { ChangePublisher } from '../../../processors/partitions/change-publisher.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { topics } from '../../../schema/topics.ts'
import { parseLiveMessage } from '../../../service/live/message.ts'

describe('ChangePublisher', () => {
  let path: string
  let log: Log
  let stopping: AbortController
  /** Errors with which the next appends fail. */
  let failures: Error[]
  /** Published machines with new documents, by message. */
  let published: (readonly number[])[]

  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'takt-changes-'))
    log = await openEmbeddedLog({ path })
    await log.createTopics([{ name: topics.live, partitions: 1, retentionMs: null }])
    stopping = new AbortController()
    failures = []
    published = []
    const append = log.append.bind(log)
    log.append = async (topic, records) => {
      const failure = failures.shift()
      if (failure) throw failure
      return append(topic, records)
    }
    await log.follow({
      topic: topics.live,
      from: 'earliest',
      onBatch: ({ records }) => {
        for (const { value } of records) published.push(parseLiveMessage(value, 'documents')?.machines ?? [])
      },
    })
  })
  afterEach(async () => {
    stopping.abort()
    await log.close()
    rmSync(path, { recursive: true, force: true })
  })

  const publisher = () => new ChangePublisher({ log, logger: pino({ level: 'silent' }), signal: stopping.signal })

  it('The change publisher repeats machines of a failed append, together with machines reported since', async () => {
    const changes = publisher()
    failures = [new Error('the leader is unavailable'), new Error('the leader is still unavailable')]
    changes.add('documents', [asMachineRef(1)])
    changes.add('documents', [asMachineRef(2)])
    while (published.length === 0) await sleep(10)
    expect(published).to.have.length(1)
    expect(published[0]).to.have.members([1, 2])
  })

  it('A stopped change publisher does not retry a failed append', async () => {
    const changes = publisher()
    failures = [new Error('the log is closed'), new Error('the log is closed')]
    stopping.abort()
    changes.add('documents', [asMachineRef(1)])
    await new Promise(resolve => setImmediate(resolve))
    expect(failures).to.have.length(1)
  })
})
