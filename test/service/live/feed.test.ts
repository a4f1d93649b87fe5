import { expect } from 'chai'
import pino from 'pino'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { type Log, LogUnavailable } from '../../../log/log.ts'
import { type LiveMessage, topics } from '../../../schema/topics.ts'
import { followLive } from '../../../service/live/feed.ts'
import { idleProgress as progress } from '../../support/progress.ts'

describe('the live topic', () => {
  let path: string
  let log: Log
  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'takt-feed-'))
    log = await openEmbeddedLog({ path })
    await log.createTopics([{ name: topics.live, partitions: 1, retentionMs: null }])
  })
  afterEach(async () => {
    await log.close()
    rmSync(path, { recursive: true, force: true })
  })

  it('reaches every listener once, though another one throws', async () => {
    const logged: string[] = []
    const logger = pino({ level: 'error' }, { write: line => logged.push(line) })
    const feed = await followLive(log, logger)
    const told: string[] = []
    const fail = () => {
      throw new Error('a channel is broken')
    }
    feed.listen({ values: fail, status: fail, progress: fail, documents: fail, alarmIds: fail, faults: fail })
    feed.listen({
      values: () => told.push('values'),
      status: () => told.push('status'),
      progress: () => told.push('progress'),
      documents: () => told.push('documents'),
      alarmIds: () => told.push('alarmIds'),
      faults: () => told.push('faults'),
    })
    const messages: readonly LiveMessage[] = [
      { kind: 'values', samples: [] },
      { kind: 'status', statuses: [] },
      { kind: 'progress', ...progress },
      { kind: 'documents', machines: [] },
      { kind: 'alarmIds', machines: [] },
      { kind: 'faults', source: 'test', faults: [] },
    ]
    for (const message of messages)
      await log.append(topics.live, [{ key: null, value: Buffer.from(JSON.stringify(message)) }])
    expect(await feed.caughtUp(5_000)).to.equal(true)
    await feed.stop()
    expect(told).to.deep.equal(messages.map(({ kind }) => kind))
    expect(logged).to.have.length(messages.length)
    expect(logged[0]).to.include('a channel is broken')
  })

  it('is read on past a record that is damaged, which is logged', async () => {
    const logged: string[] = []
    const feed = await followLive(log, pino({ level: 'error' }, { write: line => logged.push(line) }))
    const told: number[] = []
    feed.listen({ documents: ({ machines }) => told.push(...machines) })
    const texts = ['[1]}', '[2', '', '[3]}'].map(end => `{"kind":"documents","machines":${end}`)
    await log.append(
      topics.live,
      [...texts, 'null "documents"', '{"kind":"documents"}', ...texts.slice(0, 1)].map(text => ({
        key: null,
        value: Buffer.from(text),
      })),
    )
    await feed.caughtUp(5_000)
    await feed.stop()
    expect(told).to.deep.equal([1, 3, 1])
    expect(logged).to.have.length(4)
  })

  it('is followed though the log cannot tell its end at first, and not where asking again is in vain', async () => {
    const endOffsets = log.endOffsets.bind(log)
    const away = [new LogUnavailable('no broker'), new LogUnavailable('no leader')]
    log.endOffsets = async topic => {
      const failure = away.pop()
      if (failure) throw failure
      return endOffsets(topic)
    }
    await (await followLive(log, pino({ level: 'silent' }))).stop()
    log.endOffsets = () => Promise.reject(new Error('not authorised'))
    const failure = await followLive(log, pino({ level: 'silent' })).then(
      () => 'followed',
      (error: Error) => error.message,
    )
    expect(failure).to.equal('not authorised')
  })
})
