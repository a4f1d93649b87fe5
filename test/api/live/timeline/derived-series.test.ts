import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { FlushScheduler } from '../../../../api/live/outbox/flush-scheduler.ts'
import type { Frame } from '../../../../api/live/outbox/frame.ts'
import { Metrics } from '../../../../api/live/values/metrics.ts'
import { Subscriber } from '../../../../api/live/outbox/subscriber.ts'
import { DerivedSeries } from '../../../../api/live/timeline/derived-series.ts'
import type { TimelineHistory } from '../../../../api/live/timeline/ports.ts'
import { liveTimelineRequest } from '../../../../api/live/timeline/request.ts'
import type { Documented } from '../../../../api/live/timeline/synthesized.ts'
import { TimelineSubscription } from '../../../../api/live/timeline/timeline-subscription.ts'
import { asCompanyRef, asMachineRef } from '../../../../schema/refs.ts'

describe('DerivedSeries', () => {
  const scheduler = new FlushScheduler()
  const nothing: Documented = { spans: [], parts: [] }

  /** A subscription of a machine's status whose history was sent, and the frames that it receives. */
  function subscription(ref: number) {
    const frames: Frame[] = []
    const connection = { write: (more: readonly Frame[]) => frames.push(...more) > 0, close: () => undefined }
    const subscriber = new Subscriber(connection, scheduler, { bytes: 1_000_000, blockedMs: 1_000 })
    const asked = { machineId: 'm', startAt: '1970-01-01T00:00:00Z', metrics: [{ key: 'status' }] }
    const request = liveTimelineRequest(asked, { days: 30, samples: 10 }, 1_000)
    const machineRef = asMachineRef(ref)
    const made = new TimelineSubscription({ machineRef, request, subscriber, scheduler, maxBuffered: 10 }, () => false)
    made.cutOver([], nothing, sample => new Metrics().named(sample))
    return { made, frames }
  }

  it('The derived series of a machine is sent although reading the documents of another machine fails', async () => {
    const asked: number[] = []
    const history: TimelineHistory = {
      samples: async () => [],
      caughtUp: async () => true,
      documented: async ({ machineRef, nowMs }) => {
        asked.push(machineRef)
        if (machineRef === 1) throw new Error('the read takes too much memory')
        return { spans: [{ startMs: 0, endMs: nowMs, status: 'ACTIVE', inCycle: true }], parts: [] }
      },
    }
    const logged: string[] = []
    const series = new DerivedSeries(history, pino({ level: 'warn' }, { write: line => logged.push(line) }))
    const [failing, sound] = [subscription(1), subscription(2)]
    series.add(asCompanyRef(1), failing.made)
    series.add(asCompanyRef(2), sound.made)
    await series.refresh(1_000)
    while (!sound.frames.some(({ json }) => json.includes('ACTIVE')))
      await new Promise(resolve => setImmediate(resolve))
    expect(logged).to.have.length(1)
    expect(asked).to.deep.equal([1, 2])
  })

  it('A derived series is read again after a failed read, without a new sample of its machine', async () => {
    let isAway = true
    const history: TimelineHistory = {
      samples: async () => [],
      caughtUp: async () => true,
      documented: async ({ nowMs }) => {
        if (isAway) throw new Error('the store is away')
        return { spans: [{ startMs: 0, endMs: nowMs, status: 'ACTIVE', inCycle: true }], parts: [] }
      },
    }
    const series = new DerivedSeries(history, pino({ level: 'silent' }))
    const { made, frames } = subscription(1)
    series.add(asCompanyRef(1), made)
    await series.refresh(1_000)
    isAway = false
    while (!frames.some(({ json }) => json.includes('ACTIVE'))) {
      await series.refresh(1_000)
      await sleep(20)
    }
  })

  it('The wait before the next read of a machine doubles with each failure', async () => {
    const readsMs: number[] = []
    const history: TimelineHistory = {
      samples: async () => [],
      caughtUp: async () => true,
      documented: async () => {
        readsMs.push(performance.now())
        throw new Error('The store is unavailable')
      },
    }
    const series = new DerivedSeries(history, pino({ level: 'silent' }))
    series.add(asCompanyRef(1), subscription(1).made)
    while (readsMs.length < 4) {
      await series.refresh(1_000)
      await sleep(20)
    }
    const waitsMs = readsMs.slice(1).map((readMs, index) => readMs - (readsMs[index] ?? 0))
    expect(waitsMs[0]).to.be.at.least(500)
    expect(waitsMs[1]).to.be.at.least(1_000)
    expect(waitsMs[2]).to.be.at.least(2_000)
  })
})
