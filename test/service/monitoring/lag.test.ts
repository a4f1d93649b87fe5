import { expect } from 'chai'
import type { Log } from '../../../log/log.ts'
import { Records } from '../../../processors/records/records.ts'
import type { Health } from '../../../schema/requests/health.ts'
import type { Progress } from '../../../schema/topics.ts'
import type { LiveMessageListener } from '../../../service/live/feed.ts'
import { ForwardedOffsets } from '../../../service/live/forwarded-offsets.ts'
import { readinessOf } from '../../../service/monitoring/health.ts'
import { createLagMeter } from '../../../service/monitoring/lag.ts'
import { idleProgress as idle } from '../../support/progress.ts'

/** A log with one partition that has only offsets. */
function logAt(offsets: { samples: number; ingested: number; stateSamples: number }): Log {
  const log: Pick<Log, 'endOffsets' | 'committed'> = {
    endOffsets: async topic => [topic === 'samples.v1' ? offsets.samples : offsets.stateSamples],
    committed: async () => [offsets.ingested],
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the meter calls no other method
  return log as Log
}

function meterOf(
  offsets: { samples: number; ingested: number; stateSamples: number },
  forwarded: ForwardedOffsets | null = null,
) {
  const clock = { nowMs: 0 }
  let publish: (progress: Progress) => void = () => undefined
  const listen = (listener: LiveMessageListener) => {
    publish = progress => listener.progress?.({ kind: 'progress', ...progress })
    return () => undefined
  }
  const meter = createLagMeter(
    logAt(offsets),
    { listen, caughtUp: async () => true, stop: async () => undefined },
    new Records(),
    () => clock.nowMs,
    forwarded,
  )
  return { meter, clock, publish: (more: Partial<Progress>) => publish({ ...idle, ...more }) }
}

describe('lag', () => {
  const offsets = { samples: 9, ingested: 9, stateSamples: 5 }

  it('Historic hours count in the total lag but not in the live lag', async () => {
    const { meter, clock, publish } = meterOf(offsets)
    try {
      publish({})
      expect(await meter.measure()).to.deep.equal({
        lag: { records: 0, seconds: 0 },
        liveLag: { records: 0, seconds: 0 },
        backlog: { hours: 0, days: 0 },
      })
      offsets.stateSamples = 6
      publish({ nextOffset: 6, liveOffset: 6, dirtyHours: 4000, staleDays: 3 })
      clock.nowMs = 60_000
      expect(await meter.measure()).to.deep.equal({
        lag: { records: 4000, seconds: 60 },
        liveLag: { records: 0, seconds: 0 },
        backlog: { hours: 4000, days: 3 },
      })
    } finally {
      meter.stop()
    }
  })

  it('A live hour counts in the live lag until its document is computed', async () => {
    const { meter, clock, publish } = meterOf({ samples: 9, ingested: 9, stateSamples: 6 })
    try {
      publish({ nextOffset: 6, liveOffset: 5, dirtyHours: 1, liveDirtyHours: 1 })
      await meter.measure()
      clock.nowMs = 30_000
      expect((await meter.measure()).liveLag).to.deep.equal({ records: 2, seconds: 30 })
      publish({ nextOffset: 6, liveOffset: 6 })
      expect((await meter.measure()).liveLag).to.deep.equal({ records: 0, seconds: 0 })
    } finally {
      meter.stop()
    }
  })

  it('A change of records that live hours lack counts in the live lag from its time on', async () => {
    const { meter, clock, publish } = meterOf({ samples: 9, ingested: 9, stateSamples: 6 })
    try {
      clock.nowMs = 30_000
      publish({ nextOffset: 6, liveOffset: 6, dirtyHours: 1, liveDirtyHours: 1, liveSinceMs: 18_000 })
      expect((await meter.measure()).liveLag).to.deep.equal({ records: 1, seconds: 12 })
      publish({ nextOffset: 6, liveOffset: 6 })
      expect((await meter.measure()).liveLag).to.deep.equal({ records: 0, seconds: 0 })
    } finally {
      meter.stop()
    }
  })

  it('Raw samples that wait for their insert count in records, but not in seconds', async () => {
    const forwarded = new ForwardedOffsets()
    const waiting = { samples: 9, ingested: 4, stateSamples: 5 }
    const { meter, clock, publish } = meterOf(waiting, forwarded)
    try {
      publish({ nextOffset: 5, liveOffset: 5 })
      forwarded.advance(0, 8)
      await meter.measure()
      clock.nowMs = 20_000
      expect((await meter.measure()).lag).to.deep.equal({ records: 5, seconds: 20 })
      forwarded.advance(0, 9)
      expect((await meter.measure()).lag).to.deep.equal({ records: 5, seconds: 0 })
      waiting.ingested = 9
      expect((await meter.measure()).lag).to.deep.equal({ records: 0, seconds: 0 })
    } finally {
      meter.stop()
    }
  })

  it('Raw samples count in seconds once the store has inserted none for a minute', async () => {
    const forwarded = new ForwardedOffsets()
    const waiting = { samples: 4, ingested: 4, stateSamples: 5 }
    const { meter, clock, publish } = meterOf(waiting, forwarded)
    try {
      publish({ nextOffset: 5, liveOffset: 5 })
      await meter.measure()
      const seconds: number[] = []
      for (const second of [20, 40, 60, 61, 90]) {
        clock.nowMs = second * 1_000
        forwarded.advance(0, ++waiting.samples)
        const { lag, liveLag } = await meter.measure()
        expect(liveLag).to.deep.equal(lag)
        seconds.push(lag.seconds)
      }
      expect(seconds).to.deep.equal([0, 0, 0, 61, 90])
      waiting.ingested = 9
      expect((await meter.measure()).lag).to.deep.equal({ records: 0, seconds: 0 })
    } finally {
      meter.stop()
    }
  })

  it('A process is not ready if its live lag exceeds the limit', () => {
    const at = (seconds: number): Health => ({
      status: 'ok',
      version: '1',
      problems: [],
      roles: [],
      live: null,
      liveSource: null,
      livePort: null,
      clickhouse: 'ok',
      log: 'ok',
      lag: { records: 5, seconds: 9_000 },
      liveLag: { records: 1, seconds },
      backlog: { hours: 0, days: 0 },
    })
    expect(readinessOf(at(120), 120, []).ready).to.equal(true)
    expect(readinessOf(at(121), 120, [])).to.deep.include({ ready: false, reasons: ['live_lag'] })
    expect(readinessOf(at(121), 0, []).ready).to.equal(true)
    expect(readinessOf({ ...at(0), clickhouse: 'unavailable' }, 0, []).reasons).to.deep.equal(['store_unavailable'])
  })
})
