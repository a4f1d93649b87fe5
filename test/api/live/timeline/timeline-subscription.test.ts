import { expect } from 'chai'
import { Metrics } from '../../../../api/live/values/metrics.ts'
import { Subscriber } from '../../../../api/live/outbox/subscriber.ts'
import { liveTimelineRequest } from '../../../../api/live/timeline/request.ts'
import { SampleDeduplicator } from '../../../../api/live/timeline/seen.ts'
import { TimelineSubscription } from '../../../../api/live/timeline/timeline-subscription.ts'
import { FlushScheduler } from '../../../../api/live/outbox/flush-scheduler.ts'
import { asMachineRef } from '../../../../schema/refs.ts'

const sample = (atUs: number) => ({ atUs, key: 'Load', type: 'LOAD', subtype: '', value: 'x'.repeat(1000) })

describe('TimelineSubscription', () => {
  it('A timeline subscription buffers samples up to a limit while its history is read, and drops all of them beyond it', () => {
    const scheduler = new FlushScheduler()
    const connection = { write: () => true, close: () => undefined }
    const subscriber = new Subscriber(connection, scheduler, { bytes: 1_000, blockedMs: 1_000 })
    const asked = { machineId: 'm', startAt: '1970-01-01T00:00:00Z', metrics: [{ key: 'Load' }] }
    const request = liveTimelineRequest(asked, { days: 30, samples: 3 }, 1000)
    const subscription = new TimelineSubscription(
      { machineRef: asMachineRef(1), request, subscriber, scheduler, maxBuffered: 3 },
      () => true,
    )
    const metric = new Metrics().of(sample(0))
    for (const atUs of [1, 2, 3]) subscription.add(sample(atUs), metric)
    expect(subscription.buffered).to.equal(3)
    for (const atUs of [4, 5]) subscription.add(sample(atUs), metric)
    expect(subscription.buffered).to.equal(Infinity)
  })

  it('A repeated live sample is recognized among the last 2,000 samples', () => {
    const seen = new SampleDeduplicator()
    for (let atUs = 0; atUs <= 2000; atUs++) expect(seen.add(sample(atUs))).to.equal(true)
    expect(seen.add(sample(1))).to.equal(false)
    expect(seen.add(sample(0)), 'forgotten').to.equal(true)
  })

  it('The name of a metric without a value is not stored', () => {
    const metrics = new Metrics()
    const named = metrics.named(sample(0))
    expect(named).to.include({ key: 'Load', type: 'LOAD' })
    expect(metrics.find(sample(0))).to.equal(undefined)
    expect(metrics.named(metrics.of(sample(0)))).to.equal(metrics.find(sample(0)))
  })
})
