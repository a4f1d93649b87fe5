import { expect } from 'chai'
import { pino } from 'pino'
import { followLive, type LiveFeed } from '../../../service/live/feed.ts'
import { followSampleIssues, createSampleIssueCollector } from '../../../service/monitoring/sample-issues.ts'
import { dayMs } from '../../../shared/time/units.ts'
import { openPlant, type Plant } from '../../ingest/consume/plant.ts'
import { asMachineRef } from '../../../schema/refs.ts'

const logger = pino({ level: 'silent' })
const startMs = Date.UTC(2026, 2, 2, 8)

describe('Sample issues', function () {
  let plant: Plant
  let feed: LiveFeed
  let nowMs: number
  const clock = () => nowMs

  beforeEach(async () => {
    nowMs = startMs
    plant = await openPlant(clock, 1)
    feed = await followLive(plant.log, logger)
  })

  afterEach(async () => {
    await feed.stop()
    await plant.close()
  })

  it('Every process gets the sample issues, summed by machine and code, until a day after the last one', async () => {
    const issues = followSampleIssues(feed, clock)
    const [one, other] = [
      createSampleIssueCollector(plant.log, clock, logger),
      createSampleIssueCollector(plant.log, clock, logger),
    ]
    try {
      one.report(asMachineRef(7), 'too_many_keys', 'first', 2, 'a')
      nowMs += 60_000
      one.report(asMachineRef(7), 'too_many_keys', 'second', 1, 'b')
      one.report(asMachineRef(7), 'unknown_execution_value', 'RUNNING', 1, 'execution')
      nowMs += 60_000
      other.report(asMachineRef(7), 'too_many_keys', 'third', 4, null)
      while (issues.get(asMachineRef(7))[0]?.count !== 7) await new Promise(resolve => setTimeout(resolve, 20))
      expect(issues.get(asMachineRef(7))).to.deep.equal([
        {
          code: 'too_many_keys',
          message: 'third',
          key: null,
          since: '2026-03-02T08:00:00.000Z',
          last: '2026-03-02T08:02:00.000Z',
          count: 7,
        },
        {
          code: 'unknown_execution_value',
          message: 'RUNNING',
          key: 'execution',
          since: '2026-03-02T08:01:00.000Z',
          last: '2026-03-02T08:01:00.000Z',
          count: 1,
        },
      ])
      expect(issues.get(asMachineRef(8))).to.deep.equal([])
      nowMs += dayMs
      expect(issues.get(asMachineRef(7)).map(({ code }) => code)).to.deep.equal(['too_many_keys'])
      nowMs += 60_001
      expect(issues.get(asMachineRef(7))).to.deep.equal([])
    } finally {
      await one.stop()
      await other.stop()
      issues.stop()
    }
  })
})
