import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Health } from '../../../connect/run/health.ts'
import { newestTimesOf } from '../../../connect/run/newest-samples.ts'
import { heartbeatNames } from '../../../schema/heartbeat.ts'
import type { WireSample } from '../../../schema/topics.ts'

const startMs = Date.parse('2026-03-01T10:00:00Z')
const [mill, lathe] = [randomUUID(), randomUUID()]

function sample(machineId: string, timestamp: string, names = { key: 'p', type: 'PROGRAM' }): WireSample {
  return { machineId, timestamp, ...names, value: 'O1' }
}

function open(timeOffsetMs = 0) {
  const time = { nowMs: startMs }
  const health = new Health({ owner: 'host/1', timeOffsetMs, clock: () => time.nowMs, onState: () => undefined })
  const deliver = (...samples: readonly WireSample[]) =>
    health.delivered(newestTimesOf(samples, time.nowMs), health.liveMs())
  return { health, time, deliver, read: () => health.read(0) }
}

describe('health of a connector', () => {
  it('The last sample of a machine is that with the newest time, heartbeats and rejected times left out', () => {
    const { deliver, read } = open()
    deliver(sample(mill, '2026-03-01T09:59:59.5Z'), sample(mill, '2026-03-01T09:59:59Z'))
    deliver(sample(mill, '2026-03-01T10:59:50+01:00'), sample(lathe, '2026-03-01T09:00:00Z'))
    deliver(sample(lathe, '2026-03-01T10:00:00Z', heartbeatNames), sample(lathe, '2099-01-01T00:00:00Z'))
    deliver(sample('not a machine', '2026-03-01T10:00:00Z'), sample(mill, 'yesterday'))
    expect(read().lastSamples).to.deep.equal([
      [mill, startMs - 500, null],
      [lathe, startMs - 3_600_000, null],
    ])
  })

  it('The skew of a machine is the median of its last 20 deliveries while the connector is connected', () => {
    const { health, deliver, time, read } = open()
    const sendAhead = (machineId: string, aheadMs: number) =>
      deliver(sample(machineId, new Date((time.nowMs += 1_000) + aheadMs).toISOString()))
    const skews = () => read().lastSamples.map(([machineId, , skewMs]) => [machineId, skewMs])
    sendAhead(mill, -900_000)
    sendAhead(lathe, 0)
    health.set('connected')
    time.nowMs += 5_000
    for (const aheadMs of [3_600_000, 3_599_000, 3_598_000, -5_000]) sendAhead(mill, aheadMs)
    expect(skews()).to.deep.equal([
      [mill, 3_599_000],
      [lathe, null],
    ])
    for (let i = 0; i < 20; i++) sendAhead(mill, -200)
    health.set('catching_up')
    sendAhead(lathe, -900_000)
    expect(skews()).to.deep.equal([
      [mill, -200],
      [lathe, null],
    ])
  })

  it('The present values that a source without a clock sends after a connection give no skew', () => {
    const { health, deliver, time, read } = open()
    health.set('connected')
    time.nowMs += 4_999
    deliver(sample(mill, '2026-03-01T08:00:00Z'))
    expect(read().lastSamples).to.deep.equal([[mill, startMs - 7_200_000, null]])
    time.nowMs += 1
    deliver(sample(mill, new Date(time.nowMs - 300).toISOString()))
    expect(read().lastSamples).to.deep.equal([[mill, time.nowMs - 300, -300]])
  })

  it('The skew of a machine is relative to the clock of its source, with the offset of the source', () => {
    for (const timeOffsetMs of [0, 3_600_000]) {
      const { health, deliver, time, read } = open(timeOffsetMs)
      health.set('connected')
      for (let i = 0; i < 20; i++) {
        time.nowMs += 1_000
        const sourceMs = time.nowMs - 3_600_000
        health.sourceClock(sourceMs)
        deliver(
          sample(mill, new Date(sourceMs + timeOffsetMs - 400).toISOString()),
          sample(lathe, new Date(sourceMs + timeOffsetMs - 120_000).toISOString()),
        )
      }
      expect(read().skewMs).to.equal(-3_600_000)
      expect(read().lastSamples.map(([, , skewMs]) => skewMs)).to.deep.equal([-400, -120_000])
    }
  })

  it('Samples that were read before the connector was connected give no skew if they are delivered later', () => {
    const { health, time, read } = open()
    const liveMs = health.liveMs()
    health.set('connected')
    health.delivered(newestTimesOf([sample(mill, '2026-03-01T08:00:00Z')], time.nowMs), liveMs)
    expect(read().lastSamples).to.deep.equal([[mill, startMs - 7_200_000, null]])
  })

  it('The last samples of at most 1,000 machines are kept', () => {
    const { deliver, read } = open()
    for (let i = 0; i < 1_010; i++) deliver(sample(randomUUID(), '2026-03-01T09:00:00Z'))
    deliver(sample(mill, '2026-03-01T09:00:00Z'))
    expect(read().lastSamples).to.have.length(1_000)
    expect(read().lastSamples.at(-1)?.[0]).to.equal(mill)
  })

  it('The lag is the time of the source since the newest delivered sample', () => {
    const { health, deliver, time, read } = open()
    expect(read().lagMs).to.equal(null)
    deliver(sample(mill, '2026-03-01T09:59:50Z'), sample(lathe, '2026-03-01T09:00:00Z'))
    expect(read().lagMs).to.equal(10_000)
    time.nowMs += 2_000
    expect(read().lagMs).to.equal(12_000)
    health.sourceClock(time.nowMs - 3_000)
    expect(read().lagMs).to.equal(9_000)
  })

  it('An offset that corrects the clock of the source changes the lag, and gives no warning', () => {
    const { health, deliver, time, read } = open(7_200_000)
    expect(health.sourceClock(time.nowMs - 7_200_000)).to.equal(null)
    deliver(sample(mill, '2026-03-01T09:59:50Z'))
    expect(read()).to.deep.include({ lagMs: 10_000, skewMs: -7_200_000, warnings: [] })
  })

  it('The skew is the median of the last 20 readings; above a minute, a warning proposes an offset once', () => {
    const { health, time, read } = open()
    for (let i = 0; i < 20; i++) expect(health.sourceClock(time.nowMs + 60_000 + (i < 10 ? -5 : 0))).to.equal(null)
    expect(read()).to.deep.include({ skewMs: 60_000, warnings: [] })
    const announced = Array.from({ length: 30 }, () => health.sourceClock(time.nowMs + 90_500)).filter(Boolean)
    const warning = {
      code: 'clock_skew',
      message: 'The clock of the source differs by 90.5 s: correct it, or set options.timeOffsetMs to -90500',
      timeOffsetMs: -90_500,
    }
    expect(announced).to.have.length(1)
    expect(read()).to.deep.include({ skewMs: 90_500, warnings: [warning] })
    for (let i = 0; i < 20; i++) health.sourceClock(time.nowMs)
    expect(read()).to.deep.include({ skewMs: 0, warnings: [] })
  })

  it('The rate of a connector that has just begun is that of a whole minute: it reads present values at once', () => {
    const { health, time, read } = open()
    health.totals.observations = 600
    time.nowMs += 20
    expect(read().observationsPerSecond).to.equal(10)
    time.nowMs += 30_000
    expect(read().observationsPerSecond).to.equal(10)
    for (let second = 31; second <= 90; second++) {
      time.nowMs += 1_000
      read()
    }
    expect(read().observationsPerSecond).to.equal(0)
  })

  it('The rate is the mean of the last minute', () => {
    const { health, time, read } = open()
    for (let second = 0; second < 120; second++) {
      health.totals.observations += second < 60 ? 100 : 3
      time.nowMs += 1_000
      read()
    }
    expect(read().observationsPerSecond).to.equal(3)
    for (let second = 0; second < 120; second++) {
      time.nowMs += 1_000
      read()
    }
    expect(read().observationsPerSecond).to.equal(0)
  })
})
