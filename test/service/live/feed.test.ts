import { expect } from 'chai'
import pino from 'pino'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { CompactSamples } from '../../../ingest/decode/compact-writer.ts'
import { type Log, LogUnavailable } from '../../../log/log.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { omittedFields } from '../../../schema/sample.ts'
import { type LiveKind, topics } from '../../../schema/topics.ts'
import { followLive } from '../../../service/live/feed.ts'
import type { LiveOf } from '../../../service/live/message.ts'
import { idleProgress as progress } from '../../support/progress.ts'

const sample = { ...omittedFields, key: '"status"', type: 'A', subtype: '', category: 'SAMPLE' } as const

describe('live topic', () => {
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

  it('Every listener gets each live message once, although another listener throws', async () => {
    const logged: string[] = []
    const logger = pino({ level: 'error' }, { write: line => logged.push(line) })
    const feed = await followLive(log, logger)
    const told: string[] = []
    const fail = () => {
      throw new Error('a listener failed')
    }
    const messages: { readonly [K in LiveKind]: LiveOf<K> } = {
      values: { kind: 'values', samples: [] },
      status: { kind: 'status', statuses: [] },
      progress: { kind: 'progress', ...progress },
      documents: { kind: 'documents', machines: [] },
      alarmIds: { kind: 'alarmIds', machines: [] },
      faults: { kind: 'faults', source: 'test', faults: [] },
      history: { kind: 'history', fromMs: 0, sentMs: 0, isComplete: true },
      connectors: { kind: 'connectors', connectors: [] },
      process: { kind: 'process', id: '4f1c', version: '0.2.0', roles: ['api'], newestMigration: 4 },
    }
    const kinds = Object.keys(messages)
    feed.listen(Object.fromEntries(kinds.map(kind => [kind, fail])))
    feed.listen(Object.fromEntries(kinds.map(kind => [kind, () => told.push(kind)])))
    for (const message of Object.values(messages))
      await log.append(topics.live, [{ key: null, value: Buffer.from(JSON.stringify(message)) }])
    expect(await feed.caughtUp(5_000)).to.equal(true)
    await feed.stop()
    expect(told).to.deep.equal(kinds)
    expect(logged).to.have.length(kinds.length)
    expect(logged[0]).to.include('a listener failed')
  })

  it('A damaged live record is logged, and the following records are read', async () => {
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

  it('A listener gets every value of the machines that it requested, and the newest value of other machines', async () => {
    const logged: string[] = []
    const logger = pino({ level: 'error' }, { write: line => logged.push(line) })
    const feed = await followLive(log, logger, { clock: () => 1 })
    const told: string[][] = [[], []]
    const leave = [false, true].map((every, place) =>
      feed.listen(
        { values: ({ samples }) => samples.forEach(({ value }) => told[place]?.push(value)) },
        machineRef => every && machineRef === asMachineRef(8),
      ),
    )
    // Records of another kind are not passed to the listener, whatever their content.
    feed.listen({ status: () => told.push(['a status']) })
    const tell = async (...values: readonly string[]) => {
      const compact = new CompactSamples(null)
      for (const ref of [7, 8])
        for (const [place, value] of values.entries()) {
          compact.of(asMachineRef(ref))
          compact.add({ ...sample, atUs: 5 + place, value: `${value} of ${ref}` })
        }
      const bytes = compact.bytes()
      await log.append(
        topics.live,
        [bytes, bytes.subarray(0, -1)].map(value => ({ key: null, value })),
      )
      expect(await feed.caughtUp(5_000)).to.equal(true)
    }
    await tell('1', '2')
    expect(logged.splice(0)).to.have.length(1)
    const values = ['2 of 7', '1 of 8', '2 of 8']
    expect(told.splice(0)).to.deep.equal([values, values])
    told.push([], [])
    for (const end of leave) end()
    await tell('3')
    expect(told).to.deep.equal([[], []])
    expect(logged).to.deep.equal([])
    await feed.stop()
  })

  it('Following the live topic waits for an unavailable log and fails on other errors', async () => {
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
