import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { Health } from '../../../connect/run/health.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { liveRecord } from '../../../processors/partitions/live-record.ts'
import { type LiveMessage, topics } from '../../../schema/topics.ts'
import { asCompanyRef } from '../../../schema/refs.ts'
import type { NewRecord } from '../../../log/log.ts'
import { followLive } from '../../../service/live/feed.ts'
import { followConnectorHealth, HealthPublisher } from '../../../service/monitoring/connector-health.ts'
import { eventually } from '../../log/fixture.ts'

/** Health of a connector with the longest error, whose characters have the longest form in JSON. */
function unhealthy() {
  const health = new Health({ owner: 'o'.repeat(200), timeOffsetMs: 0, clock: Date.now, onState: () => undefined })
  health.failed('\u0001'.repeat(5_000))
  health.lost({ fromMs: Date.now(), toMs: Date.now(), lost: Number.MAX_SAFE_INTEGER })
  for (let reason = 0; reason < 20; reason++) health.totals.rejected[`a_long_reason_of_rejections_${reason}`] = 2 ** 50
  const machines = Array.from({ length: 1_100 }, () => [randomUUID(), Date.now()] as const)
  health.set('connected')
  health.delivered(new Map(machines), 0)
  return health.read(2 ** 50)
}

describe('publisher of the health of connectors', () => {
  it('The messages about many connectors with long errors and 1,000 machines fit the records of the log', async () => {
    const connectors = Array.from({ length: 60 }, (_, index) => ({
      companyRef: asCompanyRef(1),
      connectorId: `connector ${index}`,
      health: unhealthy(),
    }))
    const records: NewRecord[] = []
    const publisher = new HealthPublisher({
      log: {
        async append(_, added) {
          records.push(...added)
          return []
        },
      },
      logger: pino({ level: 'silent' }),
      read: () => connectors,
    })
    publisher.start()
    await eventually(() => records.length > 0)
    await publisher.stop()
    const messages: readonly LiveMessage[] = records.map(({ value }) => JSON.parse(value.toString()))
    const published = messages.flatMap(message => (message.kind === 'connectors' ? message.connectors : []))
    expect(published).to.deep.equal(connectors)
    expect(Math.max(...records.map(({ value }) => value.length))).to.be.at.most(1_000_000)
  })
})

describe('health of the connectors of all processes', () => {
  it('The health of a connector counts until no process has published it for 15 s', async () => {
    const path = mkdtempSync(join(tmpdir(), 'takt-health-'))
    const log = await openEmbeddedLog({ path })
    await log.createTopics([{ name: topics.live, partitions: 1, retentionMs: null }])
    const logger = pino({ level: 'silent' })
    const feed = await followLive(log, logger)
    let nowMs = 0
    const index = followConnectorHealth(feed, () => nowMs)
    const companyRef = asCompanyRef(1)
    const isKnown = (connectorId: string) => index.get(companyRef, connectorId) !== null
    const publish = async (connectorId: string) => {
      const connectors = [{ companyRef, connectorId, health: unhealthy() }]
      await log.append(topics.live, [liveRecord({ kind: 'connectors', connectors })])
      expect(await feed.caughtUp(5_000)).to.equal(true)
    }
    try {
      nowMs = 1_000
      await publish('agent')
      await publish('deleted')
      nowMs = 15_000
      expect([isKnown('agent'), isKnown('other'), index.isComplete()]).to.deep.equal([true, false, false])
      nowMs = 16_000
      expect([isKnown('agent'), index.isComplete()]).to.deep.equal([true, true])
      nowMs = 16_001
      expect(isKnown('agent')).to.equal(false)
      // The next message removes the others: a clock that is set back does not show them again.
      await publish('another')
      nowMs = 15_000
      expect([isKnown('deleted'), isKnown('another')]).to.deep.equal([false, true])
    } finally {
      index.stop()
      await feed.stop()
      await log.close()
      rmSync(path, { recursive: true, force: true })
    }
  })
})
